"""Plan to receipts: sends a plan's batches one by one, survives whatever happens on the way, and can take it back."""
