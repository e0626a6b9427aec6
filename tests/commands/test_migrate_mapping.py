"""The proposed mapping of a migration: its text, its comments, and what editing it does."""

import json

import pytest
from commands.migration_sources import SOURCES, dtcg, migrated, srgb, tokens, written
from commands.projects import tokensync

from tokensync.tokens import hexadecimal

STUDIO = SOURCES["tokens-studio"].files


class TestMapping:
    def test_the_proposal_as_json_has_the_text_of_the_mapping_file(self, folder):
        written(folder / "source", STUDIO)
        found = json.loads(tokensync("migrate", "source", "--propose", "--json").output)
        assert found == {"format": "tokens-studio", "mapping": tokensync("migrate", "source", "--propose").output}

    def test_the_proposal_is_a_mapping_that_gives_the_same_result(self, folder):
        written(folder / "source", STUDIO)
        (folder / "mapping.toml").write_text(tokensync("migrate", "source", "--propose").output, encoding="utf-8")
        assert not (folder / "tokens").exists()
        first = migrated("source", "--to", "harbor", "--mapping", "mapping.toml")
        assert first["collections"] == [
            each for each in migrated("source", "--to", "harbor")["collections"] if each["tokens"]
        ]

    def test_an_edited_mapping_renames_collections_and_modes(self, folder):
        written(folder / "source", STUDIO)
        text = tokensync("migrate", "source", "--propose").output
        text = text.replace('name = "Mode"', 'name = "Appearance"').replace('name = "Light"', 'name = "Day"')
        (folder / "mapping.toml").write_text(text, encoding="utf-8")
        done = migrated("source", "--to", "harbor", "--mapping", "mapping.toml")
        assert done["collections"][0]["name"] == "Appearance"
        assert done["collections"][0]["modes"] == ["Day", "Dark"]

    def test_unknown_keys_and_names_are_errors_with_line_and_the_nearest_name(self, folder):
        written(folder / "source", STUDIO)
        text = (
            tokensync("migrate", "source", "--propose").output.replace("skip =", "skp =").replace('"Dark"', '"Drak"', 1)
        )
        (folder / "mapping.toml").write_text(text, encoding="utf-8")
        done = tokensync("migrate", "source", "--to", "harbor", "--mapping", "mapping.toml", code=1)
        assert "mapping.toml:4:1 (#/skp): the key 'skp' is unknown; use skip [migrate-mapping]" in done.stderr
        assert "the source has no theme 'Drak'; use \"Dark\" [migrate-mapping]" in done.stderr
        assert not (folder / "tokens").exists()

    def test_a_mapping_that_is_no_toml_is_an_error(self, folder):
        written(folder / "source", STUDIO)
        (folder / "mapping.toml").write_text("[[collections", encoding="utf-8")
        assert (
            "[migrate-mapping]"
            in tokensync("migrate", "source", "--mapping", "mapping.toml", "--to", "x", code=1).stderr
        )


def without_marks(text, start):
    """A mapping with the comments from one with a text on taken in, as the comment above them says."""
    before, marked, after = text.partition(start)
    block, empty, rest = f"{marked}{after}".partition("\n\n")
    return before + "\n".join(line.removeprefix("# ").removeprefix("#") for line in block.split("\n")) + empty + rest


FOLDERS = {
    "tokens/phone/size.json": {"gap": dtcg({"value": 4, "unit": "px"}, "dimension"), "edge": dtcg(1, "number")},
    "tokens/tablet/size.json": {"gap": dtcg({"value": 8, "unit": "px"}, "dimension"), "bar": dtcg(2, "number")},
    "tokens/color.json": {"ink": dtcg(srgb(0, 0, 0), "color")},
}

TWO = '{"light": {"bg": %s, "fg": %s}, "dark": {"bg": %s, "fg": %s}}'
THEO = '{"global": {"type": "color", "category": "a"}, "props": {"bg": {"value": "%s"}, "fg": {"value": "%s"}}}'
GUESSED = {
    "classes of CSS": {"a.css": ".x--light { --bg: #fff; --fg: #000 } .x--dark { --bg: #000; --fg: #fff }"},
    "files of CSS": {f"{name}.css": f":root {{ --bg: {name}gray; --fg: {name}blue }}" for name in ("light", "dark")},
    "files of SCSS": {f"{name}.scss": f"$bg: {name}gray; $fg: {name}blue;" for name in ("light", "dark")},
    "names of Style Dictionary": {
        "a.json": TWO % ('{"value": "#fff"}', *('{"value": "#000"}',) * 2, '{"value": "red"}')
    },
    "names of DTCG": {"a.tokens.json": TWO.replace("%s", '{"$type": "number", "$value": %s}') % (1, 2, 3, 4)},
    "files of DTCG": {
        f"{name}.json": f'{{"$type": "number", "bg": {{"$value": {number}}}, "fg": {{"$value": {number + 1}}}}}'
        for number, name in enumerate(("light", "dark"))
    },
    "names of JSON": {"a.json": TWO % ('"#fff"', '"#000"', '"#000"', '"#fff"')},
    "files of JSON": {"light.json": '{"bg": "#fff", "fg": "#000"}', "dark.json": '{"bg": "#000", "fg": "#fff"}'},
    "files of Theo": {f"{name}.json": THEO % (f"{name}gray", f"{name}blue") for name in ("light", "dark")},
    "sets of Tokens Studio": {
        "a.json": '{"$themes": [], ' + (TWO.replace("%s", '{"type": "spacing", "value": %s}') % (1, 2, 3, 4))[1:]
    },
}


class TestProposedComments:
    CSS = """:root { --bg: white; --gap: 8px }
    .dark { --bg: black }
    @supports (color: oklch(0 0 0)) { :root { --brand: oklch(60% .2 30) } }
    .button { --button-bg: var(--brand); --button-gap: var(--gap) }
    """

    def test_parts_of_a_page_are_migrated_without_the_marks_before_them(self, folder):
        written(folder, {"page.css": self.CSS})
        text = tokensync("migrate", "page.css", "--propose").output
        assert "@supports (color: oklch(0 0 0)) :root" in text
        written(folder, {"mapping.toml": without_marks(text, '# [[collections]]\n# name = "parts"')})
        done = migrated("page.css", "--to", "harbor", "--mapping", "mapping.toml")
        assert done["counts"]["tokens_reported"] == 0
        found, _ = tokens()
        assert {key.path for key in found if key.collection == "parts"} == {"brand", "button-bg", "button-gap"}
        assert [str(each[1][0].target) for key, each in found.items() if key.path.startswith("button")] == [
            "parts / brand",
            "base / gap",
        ]

    def test_guessed_modes_are_said_to_be_a_guess_and_lose_no_token(self, folder):
        written(folder / "source", FOLDERS)
        done = migrated("source", "--to", "harbor")
        (note,) = (each for each in done["problems"] if each["code"] == "migrate-modes-guessed")
        assert note["where"] == "device"
        assert "modes phone, tablet are a guess: files or folders have words for modes" in note["what"]
        assert done["counts"]["tokens_reported"] == 0
        assert {each["token"] for each in done["ledger"] if each["outcome"] == "filled"} == {"edge", "bar"}

    @pytest.mark.parametrize("source", GUESSED.values(), ids=GUESSED)
    def test_modes_that_are_guessed_are_said_to_be_a_guess_in_every_format(self, folder, source):
        written(folder / "source", source)
        done = migrated("source", "--to", "harbor")
        (note,) = (each for each in done["problems"] if each["code"] == "migrate-modes-guessed")
        assert "light, dark are a guess: " in note["what"].lower()
        assert done["counts"]["names"] == done["counts"]["names_kept"] == 2

    def test_a_guessed_name_of_a_default_mode_is_said_to_be_a_guess(self, folder):
        written(folder, {"page.css": ":root { --ink: #ffffff }\n.dark { --ink: #000000 }"})
        done = migrated("page.css", "--to", "harbor")
        (note,) = (each for each in done["problems"] if each["code"] == "migrate-modes-guessed")
        assert note["where"] == "appearance"
        assert "it is called 'light', because another is dark" in note["what"]

    def test_a_guess_that_is_wrong_is_undone_with_the_lines_of_its_comment(self, folder):
        written(folder / "source", FOLDERS)
        text = tokensync("migrate", "source", "--propose").output
        start = text.index('# [[collections]]\n# name = "phone"')
        end = text.index('[[collections]]\nname = "device"')
        after = text.index("\n\n", end)
        instead = text[start:end].replace("# ", "")
        rest = text[after:].replace('"tokens/phone/size.json", ', "").replace('"tokens/tablet/size.json", ', "")
        written(folder, {"mapping.toml": text[:start] + instead + rest})
        done = migrated("source", "--to", "harbor", "--mapping", "mapping.toml")
        assert done["counts"]["tokens_reported"] == 0
        found, _ = tokens()
        assert {str(key) for key in found} == {
            "phone / gap",
            "phone / edge",
            "tablet / gap",
            "tablet / bar",
            "base / ink",
        }
        assert [each for each in done["problems"] if each["code"] == "migrate-modes-guessed"] == []


def test_a_value_that_is_computed_from_what_modes_change_changes_with_them(folder):
    css = """:root { --ink: #ffffff; --soft: color-mix(in srgb, var(--ink) 50%, #000); --same: var(--ink); --gap: 8px }
    .dark { --ink: #000000 }
    """
    written(folder, {"page.css": css})
    migrated("page.css", "--to", "harbor")
    found, _ = tokens()
    assert {str(key): len(each[1]) for key, each in found.items()} == {
        "appearance / ink": 2,
        "appearance / soft": 2,
        "base / same": 1,
        "base / gap": 1,
    }
    (soft,) = (each[1] for key, each in found.items() if key.path == "soft")
    assert [hexadecimal(each) for each in soft] == ["#808080", "#000000"]
