"""The stdio shim, the workspace daemon, and the protocol between them."""
