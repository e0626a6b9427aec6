"""Run the command line and kill the process before or after a numbered record of the journal.

python killing.py NUMBER before|after ARGUMENT...
"""

import os
import signal
import sys

from tokensync.__main__ import main
from tokensync.apply.journal import Journal

number, when = int(sys.argv[1]), sys.argv[2]
sys.argv[1:3] = []
record = Journal.record
seen = []


def dying(self, each):
    seen.append(each)
    if len(seen) == number and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    record(self, each)
    if len(seen) == number:
        os.kill(os.getpid(), signal.SIGKILL)


Journal.record = dying
main()
