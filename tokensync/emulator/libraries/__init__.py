"""Components, component sets and styles: what a file drafts, what it publishes, and how the platform lists that."""
