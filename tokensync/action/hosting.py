"""The REST and GraphQL API of GitHub: pull requests, comments, issues, commit statuses and signed commits.

Only the runner's environment names the server, never a checkout, and no redirect is followed, so nobody else gets the
token. Texts in answers are untrusted.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from tokensync.extract.client.credentials import without_secrets
from tokensync.system.errors import DECODE_ERRORS, TokensyncError, UsageError
from tokensync.system.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    import requests

    from tokensync.system.outlet.markdown import Markdown

_TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and between two parts of an answer."""
_ATTEMPTS = 4
_LONGEST_WAIT = 60.0
"""Seconds to wait when the server asks for it; a longer wait is a failure."""
_PER_PAGE = 100
_MOST_PAGES = 50
_MOST_MERGES = 50
"""The most merges that are followed down a branch."""
_LARGEST = 32 << 20
"""Bytes of an answer."""
_LONGEST_TITLE = 256
"""Characters of the title of an issue or a pull request; a longer one is refused."""
_PERMISSIONS = "give the job the permissions that its mode needs: tokensync explain github-action"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class HostingError(TokensyncError):
    """The hosting service refused a request or did not answer; ``status`` is the HTTP status, or None."""

    def __init__(self, message: str, status: int | None = None, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class Viewer(NamedTuple):
    """The account of the token. GitHub's own token is that of ``github-actions[bot]``."""

    login: str
    id: int


class Pull(NamedTuple):
    """A pull request. ``head`` is the last commit of its branch. ``closed_by`` is known only after ``closer``."""

    number: int
    node: str
    is_open: bool
    is_merged: bool
    head: str
    base: str
    author: str
    title: str
    body: str
    url: str


class Comment(NamedTuple):
    """A comment of an issue or a pull request."""

    id: int
    author: str
    body: str


class Status(NamedTuple):
    """A status of a commit."""

    context: str
    description: str
    author: str
    state: str


class Hosting:
    """A client for one repository (``owner/name``). Use it as a context manager.

    Requests are sent with ``token``. ``others`` are tokens of other accounts whose work is ours, too.
    """

    def __init__(self, api: str, graphql: str, repository: str, token: str, *others: str) -> None:
        for name, url in (("GITHUB_API_URL", api), ("GITHUB_GRAPHQL_URL", graphql)):
            parts = urlsplit(url)
            is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
            if parts.username or not parts.hostname or not (parts.scheme == "https" or is_local):
                raise UsageError(f"{name}: {url!r:.100} is not an https:// address; run this in GitHub Actions")
        if not token:
            raise UsageError("github-token: the token of the repository is empty; pass ${{ github.token }}")
        owner, _, name = repository.partition("/")
        if not owner or not name or "/" in name:
            raise UsageError(f"GITHUB_REPOSITORY: {repository!r:.100} is not OWNER/NAME; run this in GitHub Actions")
        self._api = api.rstrip("/")
        self._graphql = graphql
        self._token = token
        self._others = others
        self.owner, self.repository = owner, repository
        self._session: requests.Session | None = None
        self._viewer: Viewer | None = None
        self._logins: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        if self._session is not None:
            self._session.close()

    @property
    def viewer(self) -> Viewer:
        """Return the account of the token."""
        if self._viewer is None:
            found = self.graphql("query { viewer { login databaseId } }", {})["viewer"]
            self._viewer = Viewer(str(found["login"]), int(found["databaseId"] or 0))
        return self._viewer

    @property
    def logins(self) -> tuple[str, ...]:
        """Return the logins of all accounts whose work is ours, that of the token first."""
        if not self._logins:
            found = [self.viewer.login]
            for each in self._others:
                with Hosting(self._api, self._graphql, self.repository, each) as other:
                    found.append(other.viewer.login)
            self._logins = tuple(found)
        return self._logins

    # --- pull requests ----------------------------------------------------------------------------------------------

    def pulls(self, branch: str, base: str = "") -> list[Pull]:
        """Return the pull requests of a branch of this repository in all states, the newest first."""
        query = {"head": f"{self.owner}:{branch}", "state": "all", "sort": "created", "direction": "desc"}
        return [_pull(page) for page in self._pages("pulls", {**query, **({"base": base} if base else {})})]

    def pulls_from(self, owner: str, branch: str) -> list[Pull]:
        """Return the open pull requests of a branch of another owner's repository."""
        return [_pull(page) for page in self._pages("pulls", {"head": f"{owner}:{branch}", "state": "open"})]

    def pull(self, number: int) -> Pull:
        """Return a pull request."""
        return _pull(self._rest("GET", f"pulls/{number}"))

    def open_pull(self, branch: str, base: str, title: str, body: Markdown) -> Pull:
        """Create a pull request, or update the open one of the branch.

        A list may not have shown it yet, and it may exist although the answer to its creation was lost.
        """
        try:
            made = self._rest("POST", "pulls", {"head": branch, "base": base, "title": _title(title), "body": body})
        except HostingError as error:
            is_lost = error.status is None or error.status >= 500
            if not is_lost and (error.status != 422 or "already exists" not in error.reason):
                raise
            for pull in (*self.pulls(branch, base), *self.pulls(branch)):
                if pull.is_open:
                    return self.update_pull(pull.number, title, body)
            raise
        return _pull(made)

    def update_pull(self, number: int, title: str, body: Markdown) -> Pull:
        """Change the title and body of a pull request."""
        return _pull(self._rest("PATCH", f"pulls/{number}", {"title": _title(title), "body": body}))

    def close_pull(self, number: int) -> None:
        """Close a pull request."""
        self._rest("PATCH", f"pulls/{number}", {"state": "closed"})

    def closer(self, number: int) -> str:
        """Return who closed a pull request; empty if that is unknown."""
        by = self._rest("GET", f"issues/{number}").get("closed_by")
        return str(by["login"]) if by else ""

    def pulls_of_commit(self, commit: str) -> list[Pull]:
        """Return the pull requests that contain a commit, or whose merge it is."""
        return [_pull(page) for page in self._pages(f"commits/{commit}/pulls", {})]

    def is_run_of(self, number: str, workflow: str, branch: str) -> bool:
        """Return whether a run is of a workflow (``owner/name/path``) for a branch of that repository.

        A pull request is no such run: it can change the file of the workflow, and its branch can have any name.
        """
        if not number.isdecimal():
            raise UsageError(f"journals: {number!r:.50} is not the id of a run; copy it from the address of the run")
        try:
            run = self._rest("GET", f"actions/runs/{number}")
        except HostingError as error:
            if error.status != 404:
                raise
            what = f"journals: {number}: no such run of this repository, or the job may not see it"
            raise UsageError(f"{what}; copy the id from the address of the run, and permit actions: read") from None
        repository = (run["head_repository"] or {}).get("full_name")  # null if it was deleted
        is_pushed = run["event"] in ("push", "workflow_dispatch", "schedule")
        path = str(run["path"]).partition("@")[0]
        return is_pushed and f"{repository}/{path}" == workflow and run["head_branch"] == branch

    def message_below_merges(self, commit: str) -> str:
        """Return the message of a commit, or for merges of the base into a branch that of the branch's commit below.

        No branch needs to contain the commit any more. The message is empty if the commit is unknown.
        """
        try:
            for _ in range(_MOST_MERGES):
                found = self._rest("GET", f"commits/{commit}")
                if len(found["parents"]) < 2:
                    return str(found["commit"]["message"])
                commit = str(found["parents"][0]["sha"])
        except HostingError as error:
            if error.status not in (404, 422):
                raise
        return ""

    # --- comments and issues ----------------------------------------------------------------------------------------

    def comments(self, number: int) -> list[Comment]:
        """Return the comments of an issue or a pull request."""
        found = self._pages(f"issues/{number}/comments", {})
        return [Comment(each["id"], _login(each), each["body"] or "") for each in found]

    def put_comment(
        self, number: int, marker: Markdown, body: Markdown, *, once: bool = False, creates: bool = True
    ) -> bool:
        """Write a comment that begins with a marker, or update it in place; return whether anything changed.

        A comment is ours by its author and its marker. Other people's comments with the marker are ignored. With
        ``once``, a comment of our other account is enough, although this one cannot update it. Without ``creates``,
        only an existing comment is updated.
        """
        ours = [each for each in self.comments(number) if each.body.startswith(marker) and each.author in self.logins]
        for our in ours:
            if our.author == self.viewer.login:
                if our.body.replace("\r\n", "\n").strip() == body.strip():
                    return False
                self._rest("PATCH", f"issues/comments/{our.id}", {"body": body})
                return True
        if not creates or (once and ours):
            return False
        self.add_comment(number, body)
        return True

    def add_comment(self, number: int, body: Markdown) -> None:
        """Write a new comment."""
        self._rest("POST", f"issues/{number}/comments", {"body": body})

    def issue(self, title: str, state: Literal["open", "all"] = "open") -> int | None:
        """Return the number of our first issue with exactly this title."""
        found = (page for login in self.logins for page in self._pages("issues", {"state": state, "creator": login}))
        numbers = [each["number"] for each in found if each["title"] == _title(title) and "pull_request" not in each]
        return min(numbers, default=None)

    def create_issue(self, title: str, body: Markdown) -> int:
        """Create an issue and return its number."""
        return int(self._rest("POST", "issues", {"title": _title(title), "body": body})["number"])

    def close_issue(self, number: int) -> None:
        """Close an issue."""
        self._rest("PATCH", f"issues/{number}", {"state": "closed"})

    # --- commits ----------------------------------------------------------------------------------------------------

    def statuses(self, commit: str) -> Iterator[Status]:
        """Yield the statuses of a commit, the newest first."""
        for page in self._pages(f"commits/{commit}/statuses", {}):
            author = page.get("creator") or {}
            yield Status(page["context"], page["description"] or "", author.get("login", ""), page["state"])

    def set_status(self, commit: str, context: str, state: str, description: str) -> None:
        """Set a status of a commit."""
        self._rest("POST", f"statuses/{commit}", {"state": state, "context": context, "description": description[:140]})

    def set_branch(self, branch: str, commit: str) -> None:
        """Create a branch; one that exists is deleted first. It is for branches that nobody else uses."""
        self.delete_branch(branch)
        self._rest("POST", "git/refs", {"ref": f"refs/heads/{branch}", "sha": commit})

    def delete_branch(self, branch: str) -> None:
        """Delete a branch if it exists."""
        try:
            self._rest("DELETE", f"git/refs/heads/{branch}")
        except HostingError as error:
            if error.status not in (404, 422):
                raise

    def signed_commit(
        self, branch: str, parent: str, message: str, added: Mapping[str, str], deleted: Sequence[str]
    ) -> str:
        """Commit to a branch that is at ``parent``, signed by the server; return the id. ``added`` is in Base64."""
        headline, _, body = message.partition("\n")
        document = (
            "mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }"
        )
        made = self.graphql(
            document,
            {
                "input": {
                    "branch": {"repositoryNameWithOwner": self.repository, "branchName": branch},
                    "expectedHeadOid": parent,
                    "message": {"headline": headline, "body": body.strip("\n")},
                    "fileChanges": {
                        "additions": [{"path": path, "contents": content} for path, content in added.items()],
                        "deletions": [{"path": path} for path in deleted],
                    },
                }
            },
        )
        return str(made["createCommitOnBranch"]["commit"]["oid"])

    def graphql(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of a GraphQL query. Raises HostingError for errors in the answer."""
        answer = self._sent("POST", self._graphql, {}, {"query": document, "variables": variables}, repeats=True)
        if answer.get("errors"):
            reason = without_secrets(
                "; ".join(str(each.get("message", "")) for each in answer["errors"]), (self._token,)
            )
            raise HostingError(f"{self._graphql}: {shortened(reason, 300)}; {_remedy(None, reason)}", None, reason)
        data: dict[str, Any] = answer["data"]
        return data

    # --- requests ---------------------------------------------------------------------------------------------------

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        for page in range(1, _MOST_PAGES + 1):
            found = self._rest("GET", path, query={**query, "per_page": str(_PER_PAGE), "page": str(page)})
            yield from found
            if len(found) < _PER_PAGE:
                return

    def _rest(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        url = f"{self._api}/repos/{self.repository}/{path}"
        return self._sent(method, url, query or {}, body, repeats=method in ("GET", "PATCH", "DELETE"))

    def _sent(self, method: str, url: str, query: Mapping[str, str], body: Any, *, repeats: bool) -> Any:
        """Send a request, and repeat it after errors of the server. A POST is repeated only if nothing was created."""
        for attempt in range(1, _ATTEMPTS + 1):
            error, wait = None, 2.0 ** (attempt - 1)
            try:
                status, headers, answer = self._answer(method, url, query, body)
            except OSError as lost:
                error = HostingError(f"{url}: no answer ({type(lost).__name__}); run the job again")
                may_repeat = repeats
            else:
                if 200 <= status < 300:
                    return answer
                error, asked = _refused(url, status, headers, answer, self._token)
                # The server may not find yet what it has created.
                is_too_early = status == 422 and "Could not resolve to a node" in error.reason
                may_repeat = asked is not None or (status >= 500 and repeats) or is_too_early
                wait = wait if asked is None else asked
            if not may_repeat or wait > _LONGEST_WAIT or attempt == _ATTEMPTS:
                raise error
            time.sleep(wait)
        raise AssertionError(url)

    def _answer(self, method: str, url: str, query: Mapping[str, str], body: Any) -> tuple[int, Mapping[str, str], Any]:
        import msgspec

        content = None if body is None else msgspec.json.encode(body)
        with self._connection().request(
            method, url, params=dict(query), data=content, timeout=_TIMEOUT, allow_redirects=False, stream=True
        ) as response:
            raw = response.raw.read(_LARGEST + 1, decode_content=True)
            if len(raw) > _LARGEST:
                raise HostingError(f"{url}: the answer has more than {_LARGEST >> 20} MiB; report it to the server")
            try:
                answer = msgspec.json.decode(raw) if raw else {}
            except DECODE_ERRORS:
                answer = {}
                if response.status_code < 300:
                    raise HostingError(f"{url}: the answer is not JSON; run the job again") from None
            return response.status_code, response.headers, answer

    def _connection(self) -> requests.Session:
        if self._session is None:
            import requests

            self._session = requests.Session()
            self._session.headers.update(
                {
                    "Accept": "application/vnd.github+json",
                    "X-GitHub-Api-Version": "2022-11-28",
                    "User-Agent": "tokensync",
                    "Content-Type": "application/json",
                }
            )
            token = self._token

            def authorized(request: requests.PreparedRequest) -> requests.PreparedRequest:
                request.headers["Authorization"] = f"Bearer {token}"
                return request

            self._session.auth = authorized  # otherwise, requests would look for a password in .netrc
        return self._session


def _refused(
    url: str, status: int, headers: Mapping[str, str], answer: Any, token: str
) -> tuple[HostingError, float | None]:
    """Return the error of an answer, without the token, and the seconds until the server permits another request."""
    members = answer if isinstance(answer, dict) else {}
    details = members.get("errors")
    listed = details if isinstance(details, list) else ()
    texts = (str(each.get("message", "") if isinstance(each, dict) else each) for each in (members, *listed))
    reason = without_secrets("; ".join(filter(None, texts)), (token,))
    wait: float | None = None
    if status == 429 or (status == 403 and (headers.get("x-ratelimit-remaining") == "0" or "rate limit" in reason)):
        wait = _seconds(headers)
        when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(time.time() + min(wait, 10.0**10)))
        what = f"HTTP {status}, the rate limit of this token is used up; run the job again after {when}"
        return HostingError(f"{url}: {what}", status, reason), wait
    what = f"HTTP {status} ({shortened(reason, 300) or 'no reason'})"
    return HostingError(f"{url}: {what}; {_remedy(status, reason)}", status, reason), wait


def _seconds(headers: Mapping[str, str]) -> float:
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdigit():
        return float(after[:12])
    return max(float(reset[:12]) - time.time(), 1.0) if reset.isdigit() else _LONGEST_WAIT


def _remedy(status: int | None, reason: str) -> str:
    if "not permitted to create or approve pull requests" in reason:
        return (
            "allow it in the settings of the repository and of its organization (Actions, General, Workflow "
            "permissions), or pass the token of a GitHub App as app-token; the branch is pushed, so the next run opens "
            "the pull request"
        )
    if "not accessible by integration" in reason:
        return f"{_PERMISSIONS}; runs for forks get no writing token"
    if status == 401:
        return "the token has expired or is wrong; create a new one"
    if status == 404:
        return f"the token may not see this repository; {_PERMISSIONS}"
    if status is not None and status >= 500:
        return "run the job again"
    return "run the job again, or correct its permissions"


def _login(answer: Mapping[str, Any]) -> str:
    user = answer.get("user")
    return str(user["login"]) if user else ""


def _title(text: str) -> str:
    return shortened(text, _LONGEST_TITLE)


def _pull(answer: Mapping[str, Any]) -> Pull:
    return Pull(
        int(answer["number"]),
        str(answer["node_id"]),
        answer["state"] == "open",
        bool(answer.get("merged_at")),
        str(answer["head"]["sha"]),
        str(answer["base"]["ref"]),
        _login(answer),
        str(answer["title"]),
        answer["body"] or "",
        str(answer["html_url"]),
    )
