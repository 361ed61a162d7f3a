"""The workflow engine: journal, triggers, built-ins, user workflows."""
