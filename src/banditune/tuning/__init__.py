"""From past tasks to the parameter that loses least on them."""
