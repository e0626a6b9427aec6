"""Token graphs to token files and back: one package a format. No format ever sees the platform's JSON."""
