"""The lint rule ``group-depth``: names with more than four parts."""

import tokensync

MOST = 4


def group_depth(subject):
    """Yield a problem for each token below too many groups."""
    for token in subject.declared:
        if len(token.key.names) > MOST:
            where = subject.location_of(token.key, None)
            what = f"its name has {len(token.key.names)} parts"
            yield tokensync.Problem("warning", "group-depth", where, what, f"use at most {MOST}")
