"""One module per command, found by its name; a click command called ``command`` in each."""
