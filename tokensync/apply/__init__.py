"""From a ``Plan`` to receipts.

In: a plan and a client. Out: the changed file, verified, and a receipt. ``checking`` refuses what is unsafe,
``sending`` sends one request at a time and finds out what became of one without a response, ``journal`` records each
before it is sent, ``locking`` keeps other processes out, ``rollback`` makes the plan that reverses it. Begin with
``applying.apply``.
"""
