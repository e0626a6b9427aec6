"""How much a collection holds (platform-api.md section 8), in the state that a plan leads to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.plan.limits import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_HELD = "what only `plan --prune` deletes counts too"


def room_faults(intent: Intent) -> Iterator[Problem]:
    """Collections that get a mode or a variable and have too many then; new ones without any mode."""
    roots = {each.collection for each in intent.new_modes}
    for each in intent.new_collections:
        if each.modes:
            roots.add(each.ref)
        else:
            yield intent.fault("plan-limit", each.ref, None, "it has no modes", "give it one")
    for ref in sorted(roots):
        number = len(intent.after.collections[ref].modes)
        if number > MODES_PER_COLLECTION:
            what = f"it would have {number} modes; the platform takes {MODES_PER_COLLECTION} a collection"
            yield intent.fault("plan-limit", ref, None, what, f"take some out, or split it ({_HELD})")
    growing = {each.collection for each in intent.new_variables}
    if not growing:
        return
    sizes = Counter(each.collection for each in intent.after.variables.values() if each.collection in growing)
    for ref in growing:
        sizes[ref] += len(intent.before.opaque_of(ref))
    for ref in sorted(growing):
        if sizes[ref] > VARIABLES_PER_COLLECTION:
            what = f"it would have {sizes[ref]} variables; the platform takes {VARIABLES_PER_COLLECTION} a collection"
            yield intent.fault("plan-limit", ref, None, what, f"take some out, or split it ({_HELD})")
