"""What makes the documentation: its pictures, its tables of results, and the generated parts of its site."""
