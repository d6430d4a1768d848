"""What logs are stored in: tables, and formats of a file each; `registry` lists them."""
