"""What ``tokensync emulator`` does: fills, changes and serves the platform on this machine."""
