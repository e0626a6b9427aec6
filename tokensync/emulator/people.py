"""Users, their accounts and permissions, and the plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.store import StateActions, required
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3


FULL_MEMBER: Final = "full"
DEVELOPER: Final = "dev"
GUEST: Final = "guest"
"""A user outside the organization and its teams."""
MEMBERS: Final = (FULL_MEMBER, DEVELOPER, "collab", "view")
ACCOUNTS: Final = (*MEMBERS, GUEST)
PERMISSIONS: Final = ("owner", "editor", "viewer")
FIRST: Final = "1000000000000000001"
"""The user of an emulator's first token. Like the platform's, ids exceed the integer range of a double."""


class User(NamedTuple):
    """A user. ``account`` is the seat: full, dev, collab, view or guest. ``admin`` marks an organization admin.

    ``permission`` is the default permission on files; None is no access.
    """

    id: str
    handle: str
    email: str
    account: str
    admin: bool
    permission: str | None


class People(StateActions):
    """Creates and lists users."""

    def create(
        self, handle: str, *, account: str = FULL_MEMBER, admin: bool = False, permission: str | None = "editor"
    ) -> str:
        """Create a user and return the id."""
        with self._store.writing() as connection:
            return add(connection, handle, account=account, admin=admin, permission=permission).id

    def all(self) -> tuple[User, ...]:
        """Return every user in order of creation."""
        with self._store.reading() as connection:
            return everyone(connection)


def everyone(connection: sqlite3.Connection) -> tuple[User, ...]:
    """Return every user in order of creation."""
    query = f"SELECT {_COLUMNS} FROM users ORDER BY number"  # noqa: S608
    return tuple(_user(row) for row in connection.execute(query))


def find(connection: sqlite3.Connection, id_: str) -> User | None:
    """Return the user with this id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM users WHERE id = ?", (id_,)).fetchone()  # noqa: S608
    return None if row is None else _user(row)


def require(connection: sqlite3.Connection, id_: str) -> User:
    """Return the user with this id, or raise UsageError."""
    return required(find(connection, id_), f"user {id_}: no such user; use the id of an existing one")


def add(
    connection: sqlite3.Connection,
    handle: str | None = None,
    *,
    account: str = FULL_MEMBER,
    admin: bool = False,
    permission: str | None = "editor",
) -> User:
    """Create a user. The default handle is ``user-<number>``."""
    check_account(account)
    check_permission(permission)
    (count,) = connection.execute("SELECT coalesce(max(number), 0) FROM users").fetchone()
    id_ = str(int(FIRST) + count)
    handle = handle or f"user-{count + 1}"
    email = f"{''.join(each if each.isalnum() else '-' for each in handle.lower())}@example.com"
    connection.execute(
        "INSERT INTO users (id, handle, email, account, admin, permission) VALUES (?, ?, ?, ?, ?, ?)",
        (id_, handle, email, account, int(admin), permission),
    )
    return User(id_, handle, email, account, admin, permission)


def document(user: User) -> dict[str, Any]:
    """Return the user as in answers: id, handle, img_url."""
    return {"id": user.id, "handle": user.handle, "img_url": f"https://images.invalid/users/{user.id}.png"}


def check_permission(permission: str | None) -> None:
    """Raise UsageError for an unknown permission."""
    if permission is not None and permission not in PERMISSIONS:
        raise UsageError(f"permission: unknown {permission!r}; use one of {', '.join(PERMISSIONS)}, or None")


def check_account(account: str) -> None:
    """Raise UsageError for an unknown account."""
    if account not in ACCOUNTS:
        raise UsageError(f"account: unknown {account!r}; use one of {', '.join(ACCOUNTS)}")


_COLUMNS: Final = "id, handle, email, account, admin, permission"


def _user(row: tuple[Any, ...]) -> User:
    id_, handle, email, account, admin, permission = row
    return User(id_, handle, email, account, bool(admin), permission)


ENTERPRISE: Final = "enterprise"
"""The plan with access to variables, analytics and logs."""
PLANS: Final = ("starter", "professional", "organization", ENTERPRISE)


def check_plan(where: str, plan: str) -> None:
    """Raise UsageError for an unknown plan; the message starts with ``where``."""
    if plan not in PLANS:
        raise UsageError(f"{where}: no plan {plan!r}; use one of {', '.join(PLANS)}")
