"""The mixed requests of one thread: readers, writers, and requests that have to be refused."""

from __future__ import annotations

import http.client
import json
from random import Random
from typing import TYPE_CHECKING, Any

from loading.ledger import Item

if TYPE_CHECKING:
    from collections.abc import Callable

    from loading.ledger import Ledger
    from loading.served import Life, Served

COLLECTION = "VariableCollectionId:1:1"
"""The collection of the seeded files that all threads write into."""
_MOST_VARIABLES = 60
_READERS = 6
"""So many of ten requests only read."""


class Worker:
    """Sends requests over one connection and keeps the ledger. ``faults`` is what must not have happened."""

    def __init__(self, number: int, seed: int, served: Served, ledger: Ledger, files: tuple[str, ...]) -> None:
        self.statuses: dict[int, int] = {}
        self.faults: list[str] = []
        self.unanswered = 0
        self._name = f"thread-{number}"
        self._random = Random(f"{seed}/{number}")
        self._served = served
        self._ledger = ledger
        self._files = files
        self._connection: http.client.HTTPConnection | None = None
        self._life: Life | None = None
        self._variables: list[tuple[str, str, str]] = []
        self._comments: list[tuple[str, str, str]] = []
        self._made = 0
        self._writers: tuple[Callable[[], None], ...] = (
            self._create_variable,
            self._update_variable,
            self._update_variable,
            self._comment,
            self._take_comment_back,
            self._link,
            self._be_refused,
        )

    def step(self) -> None:
        """Send one request of a random kind."""
        if self._random.randrange(10) < _READERS:
            self._expect(200, "GET", self._random.choice(self._readable()))
        else:
            self._random.choice(self._writers)()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any] | None:
        """Return status and document of a response, or None if the process was killed before it came."""
        life = self._served.life()
        if self._connection is None or life != self._life:
            self.close()
            self._connection, self._life = http.client.HTTPConnection(life.host, life.port, timeout=120), life
        try:
            headers = {"X-Figma-Token": token or life.token, "Content-Type": "application/json"}
            self._connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self._connection = None
            self.unanswered += 1
            if not self._served.was_killed(life):
                self.faults.append(f"{method} {path}: {error!r}, though nobody killed the process")
            return None
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        if answer.status >= 500:
            self.faults.append(f"{method} {path}: {answer.status} {content[:200]!r}")
        return answer.status, json.loads(content) if content else None

    def _expect(self, status: int, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Return the document of a response with this status, or None without a response."""
        answered = self.ask(method, path, body, token)
        if answered is None:
            return None
        if answered[0] != status:
            self.faults.append(f"{method} {path}: {answered[0]} in place of {status}: {answered[1]}")
            return None
        return {} if answered[1] is None else answered[1]

    def _readable(self) -> tuple[str, ...]:
        file = self._random.choice(self._files)
        return (
            f"/v1/files/{file}/variables/local",
            f"/v1/files/{file}/variables/published",
            f"/v1/files/{file}/comments",
            f"/v1/files/{file}/dev_resources",
            f"/v1/files/{file}/meta",
            f"/v1/files/{file}/components",
            "/v1/teams/1/styles",
            "/v2/teams/1/folders",
            "/v2/webhooks?context=team&context_id=1",
            "/v1/me",
        )

    def _write(self, item: Item, state: str | None, method: str, path: str, body: Any = None) -> Any:
        """Send a write that must succeed, and record it in the ledger."""
        self._ledger.begin(item, state)
        document = self._expect(200, method, path, body)
        if document is not None:
            self._ledger.answered(item, state)
        return document

    def _new_name(self) -> str:
        self._made += 1
        return f"{self._name}/{self._made}"

    def _create_variable(self) -> None:
        if len(self._variables) >= _MOST_VARIABLES:
            self._update_variable()
            return
        file, name = self._random.choice(self._files), self._new_name()
        change = {"action": "CREATE", "id": "new", "name": name, "variableCollectionId": COLLECTION}
        change |= {"resolvedType": "FLOAT", "description": "made"}
        body = {"variables": [change]}
        document = self._write(Item("variable", file, name), "made", "POST", f"/v1/files/{file}/variables", body)
        if document is not None:
            self._variables.append((file, name, document["meta"]["tempIdToRealId"]["new"]))

    def _update_variable(self) -> None:
        if not self._variables:
            self._create_variable()
            return
        file, name, id_ = self._random.choice(self._variables)
        state = self._new_name()
        body = {"variables": [{"action": "UPDATE", "id": id_, "description": state}]}
        self._write(Item("variable", file, name), state, "POST", f"/v1/files/{file}/variables", body)

    def _comment(self) -> None:
        file, name = self._random.choice(self._files), self._new_name()
        item = Item("comment", file, name)
        document = self._write(item, "posted", "POST", f"/v1/files/{file}/comments", {"message": name})
        if document is not None:
            self._comments.append((file, name, document["id"]))

    def _take_comment_back(self) -> None:
        if not self._comments:
            self._comment()
            return
        file, name, id_ = self._comments.pop(self._random.randrange(len(self._comments)))
        self._write(Item("comment", file, name), None, "DELETE", f"/v1/files/{file}/comments/{id_}")

    def _link(self) -> None:
        file, name = self._random.choice(self._files), self._new_name()
        url, node = f"https://code.example/{name}", f"{self._made}:{self._name.rpartition('-')[2]}"
        item = {"name": name, "url": url, "file_key": file, "node_id": node}
        document = self._write(
            Item("dev resource", file, url), name, "POST", "/v1/dev_resources", {"dev_resources": [item]}
        )
        if document is not None and document.get("errors"):
            self.faults.append(f"POST /v1/dev_resources: {document['errors']}")

    def _be_refused(self) -> None:
        file = self._random.choice(self._files)
        path = f"/v1/files/{file}/variables"
        match self._random.randrange(4):
            case 0:
                self._expect(403, "GET", f"{path}/local", token="nobody's")  # noqa: S106 - of nobody
            case 1:
                self._expect(404, "POST", "/v1/files/Nowhere/variables", {"variables": []})
            case 2:
                self._expect(404, "GET", "/v1/nowhere")
            case _:
                item = Item("variable", file, self._new_name())
                change = {"action": "CREATE", "name": item.name, "variableCollectionId": COLLECTION}
                whole = {"variables": [change | {"resolvedType": "FLOAT"}, {"action": "DELETE", "id": "absent"}]}
                self._expect(400, "POST", path, whole)


def state_of(worker: Worker, files: tuple[str, ...]) -> dict[Item, str]:
    """Return the state of all objects that the threads may have written."""
    owners: dict[Item, str] = {}
    for file in files:
        local = _read(worker, f"/v1/files/{file}/variables/local")["meta"]["variables"].values()
        of_threads = [each for each in local if each["name"].startswith("thread-")]
        shown = [(Item("variable", file, each["name"]), each["description"]) for each in of_threads]
        comments = _read(worker, f"/v1/files/{file}/comments")["comments"]
        shown += [(Item("comment", file, each["message"]), "posted") for each in comments]
        links = _read(worker, f"/v1/files/{file}/dev_resources")["dev_resources"]
        shown += [(Item("dev resource", file, each["url"]), each["name"]) for each in links]
        for item, state in shown:
            owners[item] = "there twice" if item in owners else state
    return owners


def _read(worker: Worker, path: str) -> Any:
    answered = worker.ask("GET", path)
    if answered is None or answered[0] != 200:
        raise RuntimeError(f"{path}: {answered}")
    return answered[1]
