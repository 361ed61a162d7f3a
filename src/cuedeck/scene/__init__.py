"""The scene: one snapshot of what an agent should know now."""
