"""Variables, collections and modes: seeding, changes by POST, publishing, and use in other files."""
