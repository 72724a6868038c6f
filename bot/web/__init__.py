"""Pages: health, metrics, and what a browser sees."""
