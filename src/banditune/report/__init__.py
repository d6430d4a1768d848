"""Pictures of what was learned, and the page that shows them."""
