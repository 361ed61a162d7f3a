"""The MCP server: registry, decks, transports, authentication, limits, error rendering."""
