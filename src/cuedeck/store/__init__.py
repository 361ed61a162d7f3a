"""Where things are kept: one protocol, SQLite and PostgreSQL behind it."""
