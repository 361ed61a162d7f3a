"""Where code comes from: git's objects, and the files on disk."""
