"""What happened, for those who look it up: activities, requests, texts, and the pages of each."""
