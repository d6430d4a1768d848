"""Reading what people have: logs in files and tables become tasks, and every row is accounted for."""
