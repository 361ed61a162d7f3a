"""Values that every layer speaks: errors, principals, decks. Imports nothing from above."""
