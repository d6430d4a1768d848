"""What is run once and not shipped."""
