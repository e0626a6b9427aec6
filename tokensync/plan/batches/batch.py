"""One request: a body that is atomic by itself, and what is worth knowing of it before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from tokensync.plan.batches.changes import Changes, DropCollection, DropMode, DropVariable, MakeVariable
from tokensync.plan.batches.encoding import ARRAYS, Part, encode
from tokensync.plan.state import Ref

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Arrays = tuple[tuple[tuple[Part, ...], ...], ...]
"""The elements of the four arrays, each in parts."""


class Batch(Struct, frozen=True):
    """One POST body.

    ``why`` says why it is a request of its own (empty for the first), ``notes`` what it does that a reader may not
    expect. ``operations`` counts those of the plan's operations of which it is the first to carry out a part. ``makes``
    are the temporary refs of all that it makes, extended modes too. ``largest`` is the most bytes that its body can
    have: exactly what it has, unless it refers to what an earlier batch makes.
    """

    why: str
    notes: tuple[str, ...]
    operations: int
    changes: Changes
    makes: tuple[Ref, ...]
    largest: int
    arrays: Arrays

    def body(self, ids: Mapping[Ref, str]) -> bytes:
        """The JSON to send. ``ids`` are the real ids of what earlier batches made, by their temporary refs."""
        written: dict[Ref, bytes] = {}
        listed = []
        for name, elements in zip(ARRAYS, self.arrays, strict=True):
            if elements:
                text = b",".join(b"".join(_texts(element, ids, written)) for element in elements)
                listed.append(b'"%s":[%s]' % (name.encode(), text))
        return b"{%s}" % b",".join(listed)

    def size(self, ids: Mapping[Ref, str]) -> int:
        """The bytes of ``body(ids)``."""
        return len(self.body(ids))

    @property
    def guarded(self) -> bool:
        """Whether the platform itself refuses it a second time, so that it can be sent again without a doubt.

        It does where a variable is made in a collection that exists already, as its name is taken then (4.3 rule 6),
        and where something is deleted, as it is not found any more.
        """
        collections, modes, variables, _ = self.changes
        gone = (DropCollection, DropMode, DropVariable)
        if any(isinstance(each, gone) for array in (collections, modes, variables) for each in array):
            return True
        made = {each.ref for each in collections}
        return any(isinstance(each, MakeVariable) and each.variable.collection not in made for each in variables)


def _texts(element: tuple[Part, ...], ids: Mapping[Ref, str], written: dict[Ref, bytes]) -> Iterator[bytes]:
    for part in element:
        if isinstance(part, bytes):
            yield part
            continue
        text = written.get(part)
        if text is None:
            text = written[part] = encode(ids.get(part, part))
        yield text
