"""Activity logs: what users did in the organization (Figma REST API: Activity logs)."""

from __future__ import annotations

from typing import Final

from tokensync.client.endpoint import Endpoint, Paging, Parameter, cursor_while

LIST: Final = Endpoint(
    "activity-logs",
    "list",
    "GET",
    "v1/activity_logs",
    "What people did in the organization; with a token of one of its admins.",
    ("org:activity_log_read",),
    3,
    (
        Parameter("events", "types of the only events to tell of", kind="list"),
        Parameter("start_time", "from when on, in Unix seconds: a year ago", kind="number"),
        Parameter("end_time", "until when, in Unix seconds: now", kind="number"),
        Parameter("limit", "events a page: 1000, which is the most", kind="number"),
        Parameter("order", "asc, the earliest first, or desc"),
        Parameter("cursor", "from the page before"),
    ),
    paging=Paging(("meta", "activity_logs"), cursor_while("next_page", "meta")),
    subject="activity log",
)
ENDPOINTS: Final = (LIST,)
