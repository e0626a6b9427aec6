"""Graphs for people: one static page of all tokens, which needs no network."""

from tokensync.report.page import report_page

__all__ = ["report_page"]
