"""What logs are stored in and exported as, one format a file; `registry` lists them."""
