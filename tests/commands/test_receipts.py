"""Receipts in the repository: what one checkout has applied, another one reverses, or takes as its base."""

import json
import os
import random
import shutil
from pathlib import Path

import msgspec
import pytest
from commands.projects import pulled_in, tokensync
from commands.repositories import git
from corpus.building import OWN_ERROR, run_here
from plan.opaque import KINDS, SHAPES

from tokensync.apply.receipts import PortableReceipt
from tokensync.emulator.cli.states import open_emulator

LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
RED, GREEN, FORMER = ([1, 0, 0], [0, 1, 0], [0x11 / 255, 0x22 / 255, 0x33 / 255])


def answer():
    """The bytes of what the platform answers."""
    from emulator.platform import Platform

    with open_emulator(None, None) as emulator:
        return Platform(emulator).get(key="key-one").data


def slate():
    (found,) = (each for each in json.loads(answer())["meta"]["variables"].values() if each["name"] == "slate")
    return [round(found["valuesByMode"]["1:0"][channel], 6) for channel in "rgb"]


def paint(components):
    edit(LIGHT, lambda theme: theme["slate"].update({"$value": {"colorSpace": "srgb", "components": components}}))


def edit(path, change):
    document = json.loads(path.read_text("utf-8"))
    change(document["theme"])
    path.write_text(json.dumps(document), encoding="utf-8")


class Clones:
    """Clones of a repository, of which one at a time works with the same design file."""

    def __init__(self, folder):
        self.folder = folder
        pulled_in(folder / "ci")
        git("init", "-q", "-b", "main")
        git("config", "receive.denyCurrentBranch", "updateInstead")
        self.commit("Start")

    def commit(self, message):
        git("add", "-A")
        git("commit", "-q", "-m", message)

    def go(self, name):
        """Go to a clone, which is made if necessary; the design file comes along."""
        before = Path.cwd()
        if not (self.folder / name).exists():
            git("clone", "-q", self.folder / "ci", self.folder / name)
        os.chdir(self.folder / name)
        Path(".tokensync").mkdir(exist_ok=True)
        for path in (before / ".tokensync").glob("emulator.sqlite*"):
            shutil.copy(path, ".tokensync")


@pytest.fixture
def clones(folder):
    return Clones(folder)


def applied():
    """Apply the edit as CI does, and return the receipt."""
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force", "--receipts", "design/receipts")
    (*_, receipt) = sorted(Path("design/receipts").iterdir())
    return receipt


class TestRollback:
    def test_another_clone_reverses_what_ci_has_applied(self, clones):
        before = answer()
        paint(RED)
        receipt = applied()
        clones.commit("Apply")
        clones.go("laptop")
        after = answer()
        done = tokensync("rollback", receipt)
        assert f"rolls back the apply that the receipt {receipt} records" in done.output
        assert answer() == after, "a receipt makes a plan, which somebody reviews"
        tokensync("apply")
        assert slate() == [round(each, 6) for each in FORMER]
        assert json.loads(answer())["meta"].keys() == json.loads(before)["meta"].keys()
        assert "nothing left to reverse" in tokensync("rollback", receipt).stderr

    def test_new_renamed_and_deleted_variables_too(self, clones):
        names = {each["name"] for each in json.loads(answer())["meta"]["variables"].values()}
        tokensync("-q", "tokens", "rename", "theme/slate", "theme/ink")
        for path in (LIGHT, DARK):
            edit(path, lambda theme: (theme.pop("text"), theme.update(fresh={"$type": "number", "$value": 1})))
        receipt = applied()
        tokensync("-q", "pull")
        clones.commit("Apply")
        clones.go("laptop")
        shown = tokensync("rollback", receipt).output
        assert "deleted variables are recreated (theme / text/muted)" in shown
        tokensync("apply", "--force")
        assert {each["name"] for each in json.loads(answer())["meta"]["variables"].values()} == names

    def test_it_reverts_the_token_files_if_asked(self, clones):
        before = json.loads(LIGHT.read_bytes())
        paint(RED)
        receipt = applied()
        tokensync("-q", "pull")
        clones.commit("Apply")
        clones.go("laptop")
        tokensync("-q", "rollback", receipt, "--token-files")
        tokensync("-q", "apply")
        assert json.loads(LIGHT.read_bytes()) == before

    def test_edits_of_others_since_are_not_overwritten(self, clones):
        paint(RED)
        receipt = applied()
        clones.commit("Apply")
        clones.go("laptop")
        paint(GREEN)
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        assert (
            "somebody has changed the same objects since (Theme / slate"
            in tokensync("rollback", receipt, code=4).stderr
        )
        assert slate() == GREEN

    def test_what_a_designer_has_added_to_a_new_collection_is_not_deleted_with_it(self, clones):
        path = Path("tokens/one/fresh/a.tokens.json")
        path.parent.mkdir()
        path.write_text('{"fresh": {"x": {"$type": "number", "$value": 1}}}', encoding="utf-8")
        receipt = applied()
        git("checkout", "-q", "tokensync.lock")
        collections = json.loads(answer())["meta"]["variableCollections"].values()
        (fresh,) = (each["id"] for each in collections if each["name"] == "fresh")
        new = {"action": "CREATE", "name": "theirs", "variableCollectionId": fresh, "resolvedType": "FLOAT"}
        Path("body.json").write_text(json.dumps({"variables": [new]}), encoding="utf-8")
        tokensync("api", "variables", "post", "--file", "one", "--body", "@body.json")
        assert "fresh / theirs" in tokensync("rollback", receipt, code=4).stderr
        tokensync("-q", "apply", "--receipt", receipt)
        assert '"x"' in Path("tokensync.lock").read_text("utf-8")
        assert "theirs" not in Path("tokensync.lock").read_text("utf-8")


class TestBase:
    """A job that cannot push tokensync.lock keeps its receipt, as an artifact for example."""

    @pytest.fixture(autouse=True)
    def _unpushed(self, clones):
        paint(RED)
        clones.commit("Edit")
        self.receipt = clones.folder / "artifact.json"
        shutil.move(applied(), self.receipt)
        clones.go("laptop")

    def test_the_next_edit_is_no_conflict_with_the_own_earlier_one(self):
        paint(GREEN)
        assert "slate" in tokensync("plan", code=4).stderr
        assert (
            "recorded in tokensync.lock what the apply changed" in tokensync("apply", "--receipt", self.receipt).stderr
        )
        assert "tokensync.lock has it already" in tokensync("apply", "--receipt", self.receipt).stderr
        tokensync("plan")
        tokensync("apply")
        assert slate() == GREEN
        assert "so it is newer" in tokensync("apply", "--receipt", self.receipt, code=4).stderr
        tokensync("-q", "plan", "--exit-code")

    @pytest.mark.parametrize("designer", [FORMER, [0, 0, 1]], ids=["set back", "new"])
    def test_what_a_designer_has_set_since_is_still_a_conflict(self, designer):
        document = json.loads(answer())
        (found,) = (each for each in document["meta"]["variables"].values() if each["name"] == "slate")
        found["valuesByMode"]["1:0"] = dict(zip("rgba", (*designer, 1), strict=True))
        with open_emulator(None, None) as emulator:
            emulator.seed("key-one", json.dumps(document).encode())
        paint(GREEN)
        tokensync("-q", "apply", "--receipt", self.receipt)
        assert "theme/slate" in tokensync("plan", code=4).stderr
        assert slate() == [round(each, 6) for each in designer]

    def test_a_deletion_is_recorded_too(self, clones):
        clones.go("ci")
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.pop("text"))
        self.assert_recorded_once(clones)

    def test_what_the_token_files_leave_to_the_design_file_is_recorded_only_once_too(self, clones):
        clones.go("ci")
        paint(GREEN)
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.update({"extra": {"$type": "color", "$value": theme["slate"]["$value"]}}))
        self.assert_recorded_once(clones)

    def assert_recorded_once(self, clones):
        """Apply what was edited without keeping the lock; its receipt, recorded twice, gives the same lock."""
        clones.commit("Edit")
        receipt = clones.folder / "edit.json"
        shutil.move(applied(), receipt)
        lock = Path("tokensync.lock").read_bytes()
        git("checkout", "-q", "tokensync.lock")
        tokensync("-q", "apply", "--receipt", self.receipt)
        assert "recorded" in tokensync("apply", "--receipt", receipt).stderr
        assert Path("tokensync.lock").read_bytes() == lock
        assert "has it already" in tokensync("apply", "--receipt", receipt).stderr
        assert Path("tokensync.lock").read_bytes() == lock


class TestHostile:
    """Anyone who writes a receipt can make a plan for review, and nothing else."""

    def test_no_credential_is_in_it_and_nothing_that_the_plan_does_not_touch(self, clones):
        paint(RED)
        content = applied().read_bytes()
        with open_emulator(None, None) as emulator:
            assert emulator.default_token.encode() not in content
        objects = json.loads(content)["objects"]
        assert {ref: [each["name"] for each in pair] for ref, pair in objects["variables"].items()} == {
            "VariableID:1:10": ["slate", "slate"]
        }

    def forged(self, **members):
        """Write a receipt with a right digest."""
        receipt = PortableReceipt(**{"file": "one", "key": "key-one", "objects": {}} | members)
        Path("forged.json").write_bytes(receipt.encoded())
        return "forged.json"

    def pairs(self, former, later):
        return {
            "variables": {"VariableID:1:10": tuple(msgspec.Raw(json.dumps(each).encode()) for each in (former, later))}
        }

    def test_an_edited_one_is_refused(self, clones):
        paint(RED)
        receipt = applied()
        receipt.write_text(receipt.read_text("utf-8").replace('"slate"', '"stale"'), encoding="utf-8")
        for command in ("rollback",), ("apply", "--receipt"):
            assert f"{receipt}: this receipt was edited or damaged" in tokensync(*command, receipt, code=2).stderr

    def test_line_ends_do_not_damage_it(self, clones):
        paint(RED)
        receipt = applied()
        receipt.write_bytes(receipt.read_bytes().replace(b"\n", b"\r\n"))
        tokensync("rollback", receipt)

    def test_one_of_another_file_or_key_is_refused(self, clones):
        assert "which is not configured" in tokensync("rollback", self.forged(file="two"), code=2).stderr
        assert "now has the key key-one" in tokensync("rollback", self.forged(key="key-two"), code=4).stderr

    def test_a_folder_outside_of_the_work_tree_is_refused(self, clones):
        paint(RED)
        tokensync("-q", "plan")
        os.symlink(clones.folder, "out")
        assert "path-refused" in tokensync("apply", "--receipts", "out/receipts", code=1).stderr
        assert slate() != RED

    def test_a_forged_one_makes_a_plan_that_shows_what_it_does(self, clones):
        before = answer()
        variable = json.loads(before)["meta"]["variables"]["VariableID:1:10"]
        done = tokensync("rollback", self.forged(objects=self.pairs(variable | {"name": "evil"}, variable)))
        assert 'name  "slate" -> "evil"' in done.output
        done = tokensync("rollback", self.forged(objects=self.pairs(None, variable)))
        assert "delete referred: theme/slate" in done.output
        tokensync("apply", code=4)
        assert answer() == before

    @pytest.mark.parametrize("seed", range(12))
    def test_any_objects_end_with_a_message_and_change_nothing(self, clones, seed):
        self.run_random(seed)

    @pytest.mark.campaign
    @pytest.mark.parametrize("seed", range(1000, 1200))
    def test_many_objects_end_with_a_message_and_change_nothing(self, clones, seed):
        self.run_random(seed)

    def run_random(self, seed):
        chance = random.Random(seed)
        before = answer()
        meta = json.loads(before)["meta"]
        objects = {}
        for member in ("variables", "variableCollections"):
            objects[member] = {}
            for ref, each in [*meta[member].items(), ("VariableID:7:7", {"id": "VariableID:7:7"})]:
                pair = [dict(each), dict(each)]
                for side in pair:
                    for name in chance.sample([*side], min(len(side), chance.randint(0, 3))):
                        side[name] = chance.choice((*SHAPES, None, 1, "", [], {}, "VariableID:1:11", *KINDS[:2]))
                pair = [side if chance.random() < 0.8 else chance.choice((None, 7, [], "x")) for side in pair]
                objects[member][ref] = tuple(msgspec.Raw(json.dumps(side).encode()) for side in pair)
        path = self.forged(objects=objects)
        for command in (["rollback", path], ["apply", "--receipt", path]):
            done = run_here(*command)
            assert OWN_ERROR not in done.stderr, done.stderr
            assert done.code in (0, 1, 2, 4)
        assert answer() == before
