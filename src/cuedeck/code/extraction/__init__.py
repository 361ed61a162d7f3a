"""From the bytes of a file to stored facts, here or in parsing processes."""
