"""From a socket to an endpoint: the server, the dispatcher, limits on how often, and what goes wrong on the way."""
