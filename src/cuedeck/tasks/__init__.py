"""The task engine: `Cards`, `AgentTasks` and `Todos`, each in its module, and `imports`."""
