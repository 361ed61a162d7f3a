"""The code engine: facts per blob, refs, resolution, search, diffs."""
