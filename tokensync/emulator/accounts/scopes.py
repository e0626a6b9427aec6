"""The scopes that a token can have (platform-api.md 5, platform-facts "Auth")."""

from __future__ import annotations

from typing import Final

READ_VARIABLES: Final = "file_variables:read"
WRITE_VARIABLES: Final = "file_variables:write"
BROAD: Final = "files:read"
"""No longer recommended: reads files, comments, versions, libraries, folders, users; not variables."""

SCOPES: Final = (
    "current_user:read",
    "file_content:read",
    "file_comments:read",
    "file_comments:write",
    "file_dev_resources:read",
    "file_dev_resources:write",
    "file_metadata:read",
    READ_VARIABLES,
    WRITE_VARIABLES,
    "file_versions:read",
    BROAD,
    "folder_metadata:read",
    "folders:read",
    "library_analytics:read",
    "library_assets:read",
    "library_content:read",
    "org:activity_log_read",
    "org:developer_log_read",
    "org:discovery_read",
    "project_metadata:read",
    "projects:read",
    "team_library_content:read",
    "webhooks:read",
    "webhooks:write",
)
ORGANIZATION: Final = "org:"
"""How the scopes begin that only an admin of an Enterprise organization can give."""
