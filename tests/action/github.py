"""A stand-in for GitHub's API, written from its public documentation, over a bare git repository.

It has only what the action uses. ``failures`` are answers for the next requests with a method and a path: a status, a
body and headers.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import threading
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

BOT = "github-actions[bot]"
OWNER = "harbor"
REPOSITORY = "harbor/tokens"
TOKEN = "ghs_token_of_the_job"
APP_TOKEN = "ghs_token_of_an_app"
LOGINS = {TOKEN: BOT, APP_TOKEN: "harbor-sync[bot]"}


class Failure(NamedTuple):
    """An answer to the next request with this method and path."""

    method: str
    path: str
    status: int
    body: dict[str, Any]
    headers: Mapping[str, str] = MappingProxyType({})
    creates: bool = False
    """Whether the request is carried out nevertheless."""


UNATTENDED = ("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "receive.autogc=false")
"""Options without which commits, fetches and pushes start a process that looks for something to tidy up."""


def git(folder: Path, *arguments: str, **options: Any) -> str:
    """Run git as a colleague."""
    who = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    command = ["git", *who, *UNATTENDED, "-C", str(folder), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", **options)
    return done.stdout.strip()


class GitHub:
    """The repository and its pull requests, comments, issues and statuses."""

    def __init__(self, folder: Path) -> None:
        self.bare = folder / OWNER / "tokens"
        self.bare.mkdir(parents=True)
        git(self.bare, "init", "-q", "--bare")
        with (self.bare / "config").open("a", encoding="utf-8") as config:
            config.write("[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n")
        self.url = ""
        self.pulls: list[dict[str, Any]] = []
        self.issues: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, list[dict[str, Any]]] = {}
        self.statuses: list[dict[str, Any]] = []
        self.failures: list[Failure] = []
        self.runs: dict[int, dict[str, Any]] = {}
        self.requests: list[str] = []
        self.pulls_of: dict[str, list[int]] = {}
        self.lock = threading.Lock()
        self._ids = iter(range(1, 10_000))

    # --- what people do ---

    def open_pulls(self) -> list[dict[str, Any]]:
        """The open pull requests, after GitHub has looked at the branches."""
        self._look()
        return [each for each in self.pulls if each["state"] == "open"]

    def close(self, number: int, login: str = "kim") -> None:
        """Close a pull request as a person does."""
        self._look()
        self._pull(number).update(state="closed", closed_by=login)

    def merge_squashed(self, number: int) -> str:
        """Squash a pull request into main and keep its branch. Return the commit."""
        self._look()
        pull = self._pull(number)
        tree = git(self.bare, "merge-tree", "--write-tree", "main", pull["branch"]).split("\n")[0]
        commit = git(self.bare, "commit-tree", tree, "-p", "main", "-m", f"{pull['title']} ({number})")
        git(self.bare, "update-ref", "refs/heads/main", commit)
        pull.update(state="closed", merged_at="2026-11-24T00:00:00Z")
        self.pulls_of[commit] = [number]
        return commit

    def tip(self, branch: str) -> str:
        """The commit of a branch; empty if there is none."""
        return git(self.bare, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    def add_pull(self, branch: str, login: str = "kim", owner: str = OWNER) -> dict[str, Any]:
        """Open a pull request of a branch."""
        number = next(self._ids)
        pull = {
            "number": number,
            "branch": branch,
            "base": "main",
            "owner": owner,
            "state": "open",
            "head": self.tip(branch),
            "merged_at": None,
            "closed_by": None,
            "login": login,
            "title": "",
            "body": "",
        }
        self.pulls.append(pull)
        git(self.bare, "update-ref", f"refs/pull/{number}/head", pull["head"])
        return pull

    def _look(self) -> None:
        is_open = [each for each in self.pulls if each["state"] == "open"]
        listed = is_open and git(self.bare, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")
        tips = dict(each.split(" ") for each in listed.splitlines()) if listed else {}
        for each in is_open:
            if tip := tips.get(each["branch"], ""):
                if each["head"] != tip:
                    each["head"] = tip
                    git(self.bare, "update-ref", f"refs/pull/{each['number']}/head", tip)
            else:  # GitHub closes it in the name of the person who deletes the branch
                each.update(state="closed", closed_by="kim")

    def _pull(self, number: int) -> dict[str, Any]:
        return next(each for each in self.pulls if each["number"] == number)

    # --- the API ---

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        """Answer a request."""
        request = Request(environ)
        with self.lock:
            self._look()
            response = self._answer(request)
        return response(environ, start)

    def _answer(self, request: Request) -> Response:
        login = LOGINS.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if login is None:
            return _json({"message": "Bad credentials"}, 401)
        path = request.path.removeprefix("/api/v3")
        self.requests.append(f"{request.method} {path}")
        body = json.loads(request.data or b"{}")
        for each in self.failures:
            if each.method == request.method and re.search(each.path, path):
                self.failures.remove(each)
                if each.creates:
                    self._dispatched(request, path, body, login)
                return _json(each.body, each.status, each.headers)
        return self._dispatched(request, path, body, login)

    def _dispatched(self, request: Request, path: str, body: dict[str, Any], login: str) -> Response:
        if path in ("/graphql", "/api/graphql"):  # the second is that of Enterprise Server
            return self._graphql(body, login)
        resource = path.removeprefix(f"/repos/{REPOSITORY}/")
        for pattern, handler in _ROUTES.items():
            method, _, expression = pattern.partition(" ")
            if method == request.method and (match := re.fullmatch(expression, resource)):
                return getattr(self, handler)(*match.groups(), body=body, query=request.args, login=login)
        return _json({"message": "Not Found"}, 404)

    def _list_pulls(self, body: Any, query: Any, login: str) -> Response:
        owner, _, branch = query["head"].partition(":")
        found = [each for each in reversed(self.pulls) if each["branch"] == branch and each["owner"] == owner]
        if query.get("state") != "all":
            found = [each for each in found if each["state"] == "open"]
        found = [each for each in found if each["base"] == query.get("base", each["base"])]
        return _paged([self._shown(each) for each in found], query)

    def _create_pull(self, body: Any, query: Any, login: str) -> Response:
        if not self.tip(body["head"]):
            return _json({"message": "Validation Failed", "errors": [{"field": "head", "code": "invalid"}]}, 422)
        if any(each["branch"] == body["head"] and each["state"] == "open" for each in self.pulls):
            message = f"A pull request already exists for {OWNER}:{body['head']}."
            return _json({"message": "Validation Failed", "errors": [{"message": message}]}, 422)
        pull = self.add_pull(body["head"], login)
        pull.update(title=body["title"], body=body["body"], base=body["base"])
        return _json(self._shown(pull), 201)

    def _get_pull(self, number: str, body: Any, query: Any, login: str) -> Response:
        return _json(self._shown(self._pull(int(number))))

    def _patch_pull(self, number: str, body: Any, query: Any, login: str) -> Response:
        pull = self._pull(int(number))
        if body.get("state") == "closed":
            pull["closed_by"] = login
        pull.update(body)
        return _json(self._shown(pull))

    def _shown(self, pull: dict[str, Any]) -> dict[str, Any]:
        return {
            "number": pull["number"],
            "node_id": f"PR_{pull['number']}",
            "state": pull["state"],
            "merged_at": pull["merged_at"],
            "head": {"sha": pull["head"], "ref": pull["branch"]},
            "base": {"ref": pull["base"]},
            "user": {"login": pull["login"]},
            "title": pull["title"],
            "body": pull["body"],
            "html_url": f"https://github.example/{REPOSITORY}/pull/{pull['number']}",
        }

    def _get_issue(self, number: str, body: Any, query: Any, login: str) -> Response:
        pulls = [each for each in self.pulls if each["number"] == int(number)]
        by = pulls[0]["closed_by"] if pulls else None
        return _json({"number": int(number), "closed_by": by and {"login": by}})

    def _list_issues(self, body: Any, query: Any, login: str) -> Response:
        wanted = query.get("state")
        found = [each for each in self.issues.values() if each["user"]["login"] == query["creator"]]
        return _paged([each for each in found if wanted == "all" or each["state"] == wanted], query)

    def _create_issue(self, body: Any, query: Any, login: str) -> Response:
        number = next(self._ids)
        self.issues[number] = {"number": number, "state": "open", "user": {"login": login}, **body}
        return _json(self.issues[number], 201)

    def _patch_issue(self, number: str, body: Any, query: Any, login: str) -> Response:
        self.issues[int(number)].update(body)
        return _json(self.issues[int(number)])

    def _list_comments(self, number: str, body: Any, query: Any, login: str) -> Response:
        return _paged(self.comments.get(int(number), []), query)

    def _create_comment(self, number: str, body: Any, query: Any, login: str) -> Response:
        return _json(self.add_comment(int(number), login, body["body"]), 201)

    def add_comment(self, number: int, login: str, body: str) -> dict[str, Any]:
        """Write a comment."""
        assert len(body) <= 65_536
        comment = {"id": next(self._ids), "user": {"login": login}, "body": body}
        self.comments.setdefault(number, []).append(comment)
        return comment

    def _patch_comment(self, number: str, body: Any, query: Any, login: str) -> Response:
        comment = next(each for own in self.comments.values() for each in own if each["id"] == int(number))
        if comment["user"]["login"] != login:
            return _json({"message": "Resource not accessible by integration"}, 403)
        comment.update(body)
        return _json(comment)

    def _commit(self, commit: str, body: Any, query: Any, login: str) -> Response:
        parents, _, text = git(self.bare, "show", "-s", "--format=%P%n%B", commit).partition("\n")
        above = [{"sha": each} for each in parents.split()]
        return _json({"sha": commit, "commit": {"message": text}, "parents": above})

    def _pulls_of_commit(self, commit: str, body: Any, query: Any, login: str) -> Response:
        return _paged([self._shown(self._pull(each)) for each in self.pulls_of.get(commit, [])], query)

    def _list_statuses(self, commit: str, body: Any, query: Any, login: str) -> Response:
        return _paged([each for each in reversed(self.statuses) if each["sha"] == commit], query)

    def _create_status(self, commit: str, body: Any, query: Any, login: str) -> Response:
        assert len(body["description"]) <= 140
        self.statuses.append({**body, "sha": commit, "creator": {"login": login}})
        return _json(self.statuses[-1], 201)

    def add_run(self, number: int, **members: Any) -> None:
        """Add a run of the workflow that applies, with other members."""
        path = ".github/workflows/apply.yml@refs/heads/main"
        usual = {"path": path, "head_branch": "main", "event": "push", "head_repository": {"full_name": REPOSITORY}}
        self.runs[number] = {**usual, **members}

    def _run(self, number: str, body: Any, query: Any, login: str) -> Response:
        if login != BOT:
            return _json({"message": "Resource not accessible by integration"}, 403)
        run = self.runs.get(int(number))
        return _json({"message": "Not Found"}, 404) if run is None else _json(run)

    def _create_ref(self, body: Any, query: Any, login: str) -> Response:
        git(self.bare, "update-ref", body["ref"], body["sha"])
        return _json({"ref": body["ref"]}, 201)

    def _delete_ref(self, ref: str, body: Any, query: Any, login: str) -> Response:
        if not self.tip(ref):
            return _json({"message": "Reference does not exist"}, 422)
        git(self.bare, "update-ref", "-d", f"refs/heads/{ref}")
        return Response(status=204)

    def _graphql(self, body: dict[str, Any], login: str) -> Response:
        if "viewer" in body["query"]:
            return _json({"data": {"viewer": {"login": login, "databaseId": 41898282}}})
        wanted = body["variables"]["input"]
        branch = wanted["branch"]["branchName"]
        parent = self.tip(branch)
        if parent != wanted["expectedHeadOid"]:
            return _json({"data": None, "errors": [{"message": f"Expected branch to point to {parent}"}]})
        commit = self._signed(parent, wanted)
        git(self.bare, "update-ref", f"refs/heads/{branch}", commit)
        return _json({"data": {"createCommitOnBranch": {"commit": {"oid": commit}}}})

    def _signed(self, parent: str, wanted: dict[str, Any]) -> str:
        index = {"GIT_INDEX_FILE": str(self.bare / "index-of-graphql"), "PATH": "/usr/bin:/bin"}
        git(self.bare, "read-tree", parent, env=index)
        for each in wanted["fileChanges"]["additions"]:
            content = base64.b64decode(each["contents"])
            made = subprocess.run(
                ["git", "-C", str(self.bare), "hash-object", "-w", "--stdin"],
                input=content,
                capture_output=True,
                check=True,
            )
            blob = made.stdout.decode().strip()
            git(self.bare, "update-index", "--add", "--cacheinfo", f"100644,{blob},{each['path']}", env=index)
        for each in wanted["fileChanges"]["deletions"]:
            git(self.bare, "update-index", "--index-info", input=f"0 {'0' * 40}\t{each['path']}\n", env=index)
        tree = git(self.bare, "write-tree", env=index)
        text = f"{wanted['message']['headline']}\n\n{wanted['message']['body']}\n"
        return git(self.bare, "commit-tree", tree, "-p", parent, "-F", "-", input=text)


_ROUTES = {
    "GET pulls": "_list_pulls",
    "POST pulls": "_create_pull",
    r"GET pulls/(\d+)": "_get_pull",
    r"PATCH pulls/(\d+)": "_patch_pull",
    "GET issues": "_list_issues",
    "POST issues": "_create_issue",
    r"GET issues/(\d+)": "_get_issue",
    r"PATCH issues/(\d+)": "_patch_issue",
    r"GET issues/(\d+)/comments": "_list_comments",
    r"POST issues/(\d+)/comments": "_create_comment",
    r"PATCH issues/comments/(\d+)": "_patch_comment",
    r"GET commits/([0-9a-f]+)": "_commit",
    r"GET commits/([0-9a-f]+)/pulls": "_pulls_of_commit",
    r"GET commits/([0-9a-f]+)/statuses": "_list_statuses",
    r"POST statuses/([0-9a-f]+)": "_create_status",
    r"GET actions/runs/(\d+)": "_run",
    "POST git/refs": "_create_ref",
    "DELETE git/refs/heads/(.+)": "_delete_ref",
}


def _json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(body), status, {"Content-Type": "application/json", **(headers or {})})


def _paged(found: list[Any], query: Any) -> Response:
    size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
    return _json(found[(page - 1) * size : page * size])


class _Quiet(WSGIRequestHandler):
    def log_request(self, *_: Any) -> None:
        """Write no log."""


@contextmanager
def served(folder: Path) -> Iterator[GitHub]:
    """Yield a stand-in that listens on this machine, at the address of a GitHub Enterprise Server."""
    github = GitHub(folder)
    server = make_server("127.0.0.1", 0, github, threaded=True, request_handler=_Quiet)
    github.url = f"http://127.0.0.1:{server.server_port}/api/v3"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
