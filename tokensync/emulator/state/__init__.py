"""What outlives a request: the store and its tables, the clock, and the ids of what is made."""
