"""Finding symbols by words and by meaning."""
