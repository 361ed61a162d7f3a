"""Which symbol a name leads to: scopes, imports, light types, and what was found so far."""
