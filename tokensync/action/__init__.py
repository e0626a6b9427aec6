"""Run in CI: pull into a branch and a pull request, check, plan, apply and report drift, without anybody watching.

``running.run`` is the entry point of action.yml, which calls the hidden command ``tokensync action``.
docs/github-action.md documents the behaviour.
"""
