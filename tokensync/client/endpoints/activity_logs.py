"""Activity logs of an organization (Figma REST API: Activity logs)."""

from __future__ import annotations

from typing import Final

from tokensync.client.endpoint import Endpoint, Paging, Parameter, cursor_while

LIST: Final = Endpoint(
    "activity-logs",
    "list",
    "GET",
    "v1/activity_logs",
    "List what users did in the organization. Requires the token of an admin.",
    ("org:activity_log_read",),
    3,
    (
        Parameter("events", "event types to include", kind="list"),
        Parameter("start_time", "start of the period in Unix seconds; default: a year ago", kind="number"),
        Parameter("end_time", "end of the period in Unix seconds; default: now", kind="number"),
        Parameter("limit", "events per page; default and maximum: 1000", kind="number"),
        Parameter("order", "asc (earliest first) or desc"),
        Parameter("cursor", "cursor from the previous page"),
    ),
    paging=Paging(("meta", "activity_logs"), cursor_while("next_page", "meta")),
    subject="activity log",
)
ENDPOINTS: Final = (LIST,)
