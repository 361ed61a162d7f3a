"""The memory engine: typed memories, links, reflection, code chunks."""
