"""What a journal says, a record a line: where an apply stands, and what is known of each of its requests."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

How = Literal["carried out", "not carried out", "unclear"]
"""What reading the platform back told of a request whose answer was lost."""


class Started(Struct, frozen=True, kw_only=True, tag_field="step", tag="started"):
    """An apply begins: plan.json and before.json are on disk, and nothing is sent yet. ``at`` is Unix seconds.

    ``plan`` and ``before`` are the SHA-256 of these files, ``key`` is the platform's of the file or branch.
    ``batches`` is how many requests it takes.
    """

    at: float
    file: str
    key: str
    plan: str
    before: str
    batches: int
    rebased: bool = False


class Resumed(Struct, frozen=True, kw_only=True, tag_field="step", tag="resumed"):
    """An apply goes on, in another process."""

    at: float


class Sending(Struct, frozen=True, kw_only=True, tag_field="step", tag="sending"):
    """A request is going to be sent. ``batch`` counts from 0, ``digest`` is the SHA-256 of its body."""

    at: float
    batch: int
    digest: str
    bytes: int


class Answered(Struct, frozen=True, kw_only=True, tag_field="step", tag="answered"):
    """The platform said that it carried a request out; ``ids`` maps temporary ids to real ones."""

    at: float
    batch: int
    ids: dict[str, str]


class Refused(Struct, frozen=True, kw_only=True, tag_field="step", tag="refused"):
    """The request that was sent last came to nothing: the platform refused it, or it never left."""

    at: float
    batch: int
    status: int | None
    message: str


class Settled(Struct, frozen=True, kw_only=True, tag_field="step", tag="settled"):
    """What the platform itself shows of a request whose answer was lost."""

    at: float
    batch: int
    how: How
    ids: dict[str, str] = {}


class Stopped(Struct, frozen=True, kw_only=True, tag_field="step", tag="stopped"):
    """The apply ended before its end, and no request of it is on its way any more.

    ``for_good`` when it must not be gone on with, since a plan that takes it back has been written.
    """

    at: float
    why: str
    for_good: bool = False


class Finished(Struct, frozen=True, kw_only=True, tag_field="step", tag="finished"):
    """Everything is carried out and was read back; ``differences`` says where the platform is not as planned."""

    at: float
    differences: tuple[str, ...] = ()


class RolledBack(Struct, frozen=True, kw_only=True, tag_field="step", tag="rolled back"):
    """Another apply, ``by``, took back what this one did."""

    at: float
    by: str


Record = Started | Resumed | Sending | Answered | Refused | Settled | Stopped | Finished | RolledBack
