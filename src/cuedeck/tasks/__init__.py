"""The task engine: cards, agent tasks, todos."""
