"""Figma without its REST API: saved responses as a platform (``captures``)."""
