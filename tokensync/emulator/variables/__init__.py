"""The variables endpoints (Figma REST API: Variables): reading, publishing, and a POST staged in one transaction."""
