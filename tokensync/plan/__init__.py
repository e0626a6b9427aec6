"""Two states of a file to a plan: merge, differences, rules, safety, and the requests that carry it out. No I/O."""
