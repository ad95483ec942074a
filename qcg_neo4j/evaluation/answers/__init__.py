"""Answers of any system, written and scored: exact match, token F1, judged, GPT-score, ACC."""
