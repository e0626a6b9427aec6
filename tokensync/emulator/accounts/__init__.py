"""Who asks: people, their organization, access tokens with scopes, and the OAuth apps that get some."""
