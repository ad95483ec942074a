"""Embedding models and language models: endpoints, prompts, replies."""
