"""``cue serve``: uvicorn as we run it."""
