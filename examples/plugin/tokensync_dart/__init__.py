"""A plug-in for tokensync: a target, a lint rule, a reader of a format, a command and a scheme of base_url."""
