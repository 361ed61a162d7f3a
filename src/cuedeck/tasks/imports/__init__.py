"""Tasks from other tools: read, made to fit, and reported on. Import `read_source` and the targets."""
