"""Graphs: dependency analysis and links across kinds."""
