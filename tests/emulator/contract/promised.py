"""Every endpoint that the platform documents, in the order of its documentation, with what it promises of each.

Written by hand from the documentation, not from our tables: both of them are compared with it. Where it names no paths,
they are those of the public OpenAPI document.
"""

from typing import Final, NamedTuple

PERSONAL, OAUTH, PLAN = "personal", "oauth", "plan"
ANY = (PERSONAL, OAUTH, PLAN)


class Promise(NamedTuple):
    """``scope`` is None where no access token is asked for; ``tier`` None where the document says nothing of it.

    ``errors`` are the statuses that the document lists. ``kinds`` are the kinds of token that may call it.
    """

    method: str
    path: str
    scope: str | None
    tier: int | None
    errors: tuple[int, ...]
    kinds: tuple[str, ...] = ANY
    success: int = 200

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


def _library(things: str) -> tuple[Promise, ...]:
    errors = (400, 403, 404)
    return (
        Promise("GET", f"/v1/teams/:team_id/{things}", "team_library_content:read", 3, errors),
        Promise("GET", f"/v1/files/:file_key/{things}", "library_content:read", 3, errors),
        Promise("GET", f"/v1/{things}/:key", "library_assets:read", 3, errors),
    )


def _analytics(thing: str) -> tuple[Promise, ...]:
    path, errors = f"/v1/analytics/libraries/:library_file_key/{thing}", (400, 401, 403)
    return tuple(
        Promise("GET", f"{path}/{kind}", "library_analytics:read", 3, errors) for kind in ("actions", "usages")
    )


PROMISED: Final = (
    Promise("GET", "/oauth", None, None, (), success=200),
    Promise("POST", "/v1/oauth/token", None, None, (400, 401)),
    Promise("POST", "/v1/oauth/refresh", None, None, (400, 401)),
    *_library("components"),
    *_library("component_sets"),
    *_library("styles"),
    Promise("GET", "/v1/files/:file_key/variables/local", "file_variables:read", 2, (400, 401, 403)),
    Promise("GET", "/v1/files/:file_key/variables/published", "file_variables:read", 2, (400, 401, 403)),
    Promise(
        "POST",
        "/v1/files/:file_key/variables",
        "file_variables:write",
        3,
        (400, 403, 404, 413),
        kinds=(PERSONAL, OAUTH),
    ),
    *_analytics("component"),
    *_analytics("style"),
    *_analytics("variable"),
    Promise("GET", "/v1/teams/:team_id/projects", "projects:read", 2, (400, 403)),
    Promise("GET", "/v1/projects/:project_id/files", "projects:read", 2, (400, 403)),
    Promise("GET", "/v1/projects/:project_id/meta", "project_metadata:read", None, (403, 404, 429)),
    Promise("GET", "/v2/teams/:team_id/folders", "folders:read", 2, (400, 403, 404)),
    Promise("GET", "/v2/folders/:folder_id/folders", "folders:read", 2, (400, 403, 404)),
    Promise("GET", "/v2/folders/:folder_id/files", "folders:read", 2, (400, 403, 404)),
    Promise("GET", "/v2/folders/:folder_id/meta", "folder_metadata:read", 3, (403, 404, 429)),
    Promise("GET", "/v1/files/:file_key/dev_resources", "file_dev_resources:read", 2, (400, 401)),
    Promise("POST", "/v1/dev_resources", "file_dev_resources:write", 2, (400, 401)),
    Promise("PUT", "/v1/dev_resources", "file_dev_resources:write", 2, (400, 401)),
    Promise("DELETE", "/v1/files/:file_key/dev_resources/:dev_resource_id", "file_dev_resources:write", 2, (401, 404)),
    Promise("POST", "/v1/developer_logs", "org:developer_log_read", 3, (400, 401, 403), kinds=(PLAN,)),
    Promise("GET", "/v1/activity_logs", "org:activity_log_read", 3, ()),
    Promise("GET", "/v1/discovery", "org:discovery_read", 2, (400, 401, 403, 429, 500)),
    Promise("POST", "/v2/webhooks", "webhooks:write", 2, (400, 403)),
    Promise("GET", "/v2/webhooks/:webhook_id", "webhooks:read", 2, (403, 404)),
    Promise("GET", "/v2/webhooks", "webhooks:read", 2, (403, 404)),
    Promise("PUT", "/v2/webhooks/:webhook_id", "webhooks:write", 2, (400, 403, 404)),
    Promise("DELETE", "/v2/webhooks/:webhook_id", "webhooks:write", 2, (400, 403, 404)),
    Promise("GET", "/v2/teams/:team_id/webhooks", "webhooks:read", 2, ()),
    Promise("GET", "/v2/webhooks/:webhook_id/requests", "webhooks:read", 2, ()),
    Promise("GET", "/v1/files/:file_key", "file_content:read", 1, (400, 403, 404)),
    Promise("GET", "/v1/files/:file_key/nodes", "file_content:read", 1, (400, 403, 404)),
    Promise("GET", "/v1/images/:file_key", "file_content:read", 1, (400, 403, 404)),
    Promise("GET", "/v1/files/:file_key/images", "file_content:read", 2, (403, 404)),
    Promise("GET", "/v1/files/:file_key/meta", "file_metadata:read", 3, (403, 404)),
    Promise("GET", "/v1/files/:file_key/comments", "file_comments:read", 2, (403, 404)),
    Promise("POST", "/v1/files/:file_key/comments", "file_comments:write", 2, (400, 403, 404)),
    Promise("DELETE", "/v1/files/:file_key/comments/:comment_id", "file_comments:write", 2, (403, 404)),
    Promise("GET", "/v1/files/:file_key/comments/:comment_id/reactions", "file_comments:read", 2, (403, 404)),
    Promise("POST", "/v1/files/:file_key/comments/:comment_id/reactions", "file_comments:write", 2, (400, 403, 404)),
    Promise("DELETE", "/v1/files/:file_key/comments/:comment_id/reactions", "file_comments:write", 2, (403, 404)),
    Promise("GET", "/v1/files/:file_key/versions", "file_versions:read", 2, (403, 404)),
    Promise("GET", "/v1/me", "current_user:read", 3, (403,)),
    Promise("GET", "/v1/oembed", "file_metadata:read", None, (400, 403, 404)),
)
