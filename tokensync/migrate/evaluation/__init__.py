"""Evaluate the tokens of a source in each theme: references, expressions, colours, composites and modifiers."""
