"""Edits of token files in words."""

import json

from tokensync.commands.edits import worded


def fact(*parts):
    return json.dumps(["harbor", "theme", *parts])


def test_a_token_with_facts_on_one_side_alone_is_new_or_gone():
    removed = [fact("old", "type", "color"), fact("old", "id", "V:1")]
    written = [fact("fresh", "type", "color"), fact("fresh", "in dark", [0, 0, 0, 1])]
    assert worded(removed, written) == ["harbor / theme / fresh: new", "harbor / theme / old: gone"]


def test_a_changed_value_tells_only_what_differs_in_it():
    removed, written = [fact("a", "in dark", [0, 0, 0, 1])], [fact("a", "in dark", [0, 0.5, 0, 1])]
    assert worded(removed, written) == ["harbor / theme / a: in dark: value[1] changed from 0 to 0.5"]


def test_what_is_said_of_a_token_on_one_side_alone_is_added_or_taken_away():
    removed, written = [fact("a", "description", "Old.")], [fact("a", "scopes", ["GAP"])]
    assert worded(removed, written) == ["harbor / theme / a: description taken away, scopes added"]


def test_the_order_of_scopes_is_no_difference_worth_a_word():
    removed, written = [fact("a", "scopes", ["GAP", "OPACITY"])], [fact("a", "scopes", ["GAP", "FONT_SIZE"])]
    (line,) = worded(removed, written)
    assert '"OPACITY"' in line
    assert '"GAP"' not in line
