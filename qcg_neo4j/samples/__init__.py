"""Data to try the package with."""
