"""Stands in for the backend of the same name: see release_metadata."""
