"""A plan as people review it: lines for a terminal, and Markdown for a pull request."""

from tokensync.report.plans.markdown import markdown
from tokensync.report.plans.review import Entry, Review, Row, Section, counted, review
from tokensync.report.plans.text import Line, text_lines

__all__ = ["Entry", "Line", "Review", "Row", "Section", "counted", "markdown", "review", "text_lines"]
