"""Delivers events while the emulator is served."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERY_SECONDS: Final = 0.2
_PATIENCE_SECONDS: Final = 11.0
"""How long an end waits for what is being sent: a little longer than a sender waits for an endpoint."""

_logger = logging.getLogger(__name__)


class InBackground:
    """Between ``with``, a thread calls ``deliver_due`` again and again; at the end, what is being sent is sent."""

    def __init__(self, deliver_due: Callable[[], int]) -> None:
        self._deliver_due = deliver_due
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(_PATIENCE_SECONDS)

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY_SECONDS):
            try:
                self._deliver_due()
            except Exception:  # a busy or full disk may be neither the next time
                _logger.exception("events were not delivered")
