"""Measurements anyone can run: python -m benchmarks [NAME...]."""
