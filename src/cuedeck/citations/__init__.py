"""Citations across kinds: which memory or task speaks of which symbol, file, card or run."""
