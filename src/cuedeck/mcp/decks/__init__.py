"""Tools as data, one module per deck."""
