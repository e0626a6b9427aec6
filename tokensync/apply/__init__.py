"""Apply plans: send requests one by one, record them in a journal, survive interruptions, and roll back."""
