"""Scripts of plans between any two libraries, in one request or in many, on the model of the editor."""

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from bridge.conftest import KEY, MODEL
from checkers import run
from hypothesis import event, given
from hypothesis import strategies as st
from msgspec.structs import replace
from plan.journeys import plan_of
from plan.pairs import pairs
from plan.readings import differences_of, ids_in, reading_of

from tokensync.apply.applying import begin
from tokensync.apply.checking import CheckContext, Confirmed
from tokensync.apply.journal import Applies
from tokensync.apply.scripts import claim_of, read_receipt, record_claim, script_of
from tokensync.apply.sending import Reading
from tokensync.plan.batches import batches_of
from tokensync.plan.operations import DeleteMode
from tokensync.plan.state import BODY_BYTES

pytestmark = pytest.mark.outside

SMALL = 1_500  # bytes: makes many requests of a few operations
PLANNED, APPLIED = "tokensync.plan.planning.batches_of", "tokensync.apply.applying.batches_of"
LABELS = patch("tokensync.apply.checking._Names.has")  # there is no token file whose handles they have


def limited(limit):
    return partial(batches_of, limit=limit)


def carried_out(node, folder, script, response, **options):
    """Run a script on a file; return its receipt and the file's response."""
    state = {"key": KEY, "name": "design", "meta": json.loads(response)["meta"]}
    (folder / "figma.json").write_text(json.dumps(state), encoding="utf-8")
    (folder / "plan.js").write_text(script, encoding="ascii")
    settings = {"script": "plan.js", "state": "figma.json", "options": options}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    outcome = json.loads(run([node, MODEL / "script.mjs", "settings.json"], cwd=folder))
    meta = json.loads((folder / "figma.json").read_text(encoding="utf-8"))["meta"]
    return outcome["returned"], json.dumps({"status": 200, "error": False, "meta": meta}).encode()


@given(pairs(), st.sampled_from((BODY_BYTES, SMALL)), st.booleans())
def test_a_script_makes_of_a_file_what_its_plan_says_and_the_claim_is_shown(node, pair, limit, ordered):
    before = pair.before.response()
    context = CheckContext(lambda *pointer: "plan", confirmed=Confirmed(True, True))
    with TemporaryDirectory() as name, patch(PLANNED, limited(limit)), patch(APPLIED, limited(limit)), LABELS:
        plan = replace(plan_of(before, pair.after).plan, key=KEY, fingerprint=Reading("design", before).fingerprint)
        if not plan.operations:
            return
        applies, reading = Applies(name), Reading("design", before)
        journal, execution = begin(
            applies,
            plan,
            reading,
            rebase=False,
            now=0,
            report=print,
            context=context,
            script=True,
        )
        event(f"{min(3, len(execution.batches))} requests")
        script = script_of(journal, execution)
        receipt, reached = carried_out(node, Path(name), script, before, ordered=ordered)
        known = ids_in(before)
        if receipt["message"].endswith("aliases form a cycle"):  # with the values of a mode that goes at the end
            assert any(isinstance(operation, DeleteMode) for operation in plan.operations)
            assert not differences_of(reading_of(reached, known), reading_of(before, known))
            return
        assert receipt["state"] == "done", receipt
        assert not differences_of(reading_of(reached, known), reading_of(pair.after.response(), known))
        assert claim_of(journal, before).missing
        record_claim(journal, read_receipt(json.dumps(receipt).encode(), "receipt"), "receipt", 1)
        assert claim_of(journal, reached).missing == ""
        assert applies.claimed("design").folder == journal.folder
