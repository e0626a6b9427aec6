"""Render token graphs and differences as static HTML pages, Markdown and text."""

from tokensync.report.page import report_page

__all__ = ["report_page"]
