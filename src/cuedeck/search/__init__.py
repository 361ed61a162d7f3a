"""Text analysis, embeddings, fusion, explanation and token counts."""
