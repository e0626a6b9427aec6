pytest_plugins = ["checkers"]
