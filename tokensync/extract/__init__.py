"""From Figma to a ``Snapshot``: the REST client, the responses as typed data, and what the options omit."""
