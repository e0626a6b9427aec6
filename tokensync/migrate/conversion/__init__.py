"""Convert evaluated themes to a graph of tokens by a mapping, with the ledger of every token and alias."""
