"""Values as source text: one module a target, each with one function that escapes its strings."""
