"""The commands as plain functions, one module per command."""
