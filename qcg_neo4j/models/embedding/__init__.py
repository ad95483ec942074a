"""Text to vectors: a model on this machine or behind an endpoint, and texts longer than it reads."""
