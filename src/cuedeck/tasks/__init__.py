"""The task engine: `Cards`, `AgentTasks` and `Todos`, each in the module of its name; `imports` for the rest."""
