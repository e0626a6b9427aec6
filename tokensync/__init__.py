"""tokensync keeps design tokens the same in Figma variables and in code."""

__version__ = "0.1.0"
