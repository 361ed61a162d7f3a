"""The documents engine: markdown, frontmatter, links, index, retrieval."""
