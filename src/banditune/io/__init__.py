"""Files and the JSON in them."""
