"""Library analytics over time: recording, cursors and unpublished assets."""

import pytest
from emulator.platform import KEY, Platform

from tokensync.system.errors import UsageError

LIBRARY = f"/v1/analytics/libraries/{KEY}"


def report(platform, path, **more):
    answer = platform.request("GET", f"{LIBRARY}/{path}", **more)
    assert answer.status_code == 200, answer.json
    return answer.json


def style(platform, name="body"):
    key = platform.emulator.libraries.add_style(KEY, name, "TEXT")
    platform.emulator.publish(KEY)
    return key


def test_a_cursor_leads_through_all_rows_once_and_belongs_to_its_question(platform):
    emulator = platform.emulator
    emulator.files.create("App")
    emulator.libraries.sample(KEY, components=1003)
    emulator.publish(KEY)
    for number, key in enumerate(emulator.libraries.keys(KEY, "component")):
        emulator.analytics.use(KEY, "component", key, "App", 1 + number % 3)
    first = report(platform, "component/usages?group_by=component")
    second = report(platform, f"component/usages?group_by=component&cursor={first['cursor']}")
    keys = [row["component_key"] for row in (*first["rows"], *second["rows"])]
    assert (len(first["rows"]), first["next_page"], len(keys), len(set(keys))) == (1000, True, 1003, 1003)
    assert (second["next_page"], second["rows"][-1]["usages"]) == (False, 1)
    last = report(platform, f"component/usages?group_by=component&cursor={second['cursor']}")
    assert last == {"rows": [], "next_page": False, "cursor": ""}
    other = platform.request("GET", f"{LIBRARY}/component/usages?group_by=file&cursor={first['cursor']}")
    assert (other.status_code, other.json["message"]) == (400, "Invalid cursor")


def test_usages_are_counted_over_files_and_teams(platform):
    emulator = platform.emulator
    key = style(platform)
    elsewhere = emulator.places.create_folder("Apps", team=emulator.places.create_team("Elsewhere"))
    emulator.files.create("One")
    emulator.files.create("Two")
    emulator.files.create("Three", folder=elsewhere)
    for number, file in enumerate(("One", "Two", "Three"), 1):
        emulator.analytics.use(KEY, "style", key, file, number)
    (row,) = report(platform, "style/usages?group_by=style")["rows"]
    assert (row["usages"], row["files_using"], row["teams_using"]) == (6, 3, 2)
    emulator.analytics.use(KEY, "style", key, "Three", 0)
    (row,) = report(platform, "style/usages?group_by=style")["rows"]
    assert (row["usages"], row["files_using"], row["teams_using"]) == (3, 2, 1)


def test_actions_of_one_day_add_up_and_are_reported_by_team(platform):
    key = style(platform)
    team = platform.emulator.places.create_team("Elsewhere")
    for more in ({"insertions": 2}, {"insertions": 1, "detachments": 4}, {"detachments": 1, "team": team}):
        platform.emulator.analytics.act(KEY, "style", key, days_ago=8, **more)
    (row,) = report(platform, "style/actions?group_by=style")["rows"]
    assert (row["insertions"], row["detachments"], row["style_name"]) == (3, 5, "body")
    rows = report(platform, "style/actions?group_by=team")["rows"]
    assert [(each["team_name"], each["insertions"], each["detachments"]) for each in rows] == [
        ("Design system", 3, 4),
        ("Elsewhere", 0, 1),
    ]


def test_unpublished_assets_are_not_reported_and_renamed_ones_are(platform):
    gone, renamed = style(platform, "gone"), style(platform, "before")
    platform.emulator.files.create("App")
    for key in (gone, renamed):
        platform.emulator.analytics.use(KEY, "style", key, "App", 1)
    platform.emulator.libraries.drop(gone)
    platform.emulator.libraries.change(renamed, name="after")
    platform.emulator.publish(KEY)
    rows = report(platform, "style/usages?group_by=style")["rows"]
    assert [each["style_name"] for each in rows] == ["after"]


def test_a_sample_is_reproducible_and_leaves_every_fourth_asset_unused():
    reports = []
    for _ in range(2):
        platform = Platform()
        platform.emulator.libraries.sample(KEY, components=8)
        platform.emulator.publish(KEY)
        platform.emulator.analytics.sample(KEY)
        assert platform.emulator.analytics.sample(KEY) > 0
        reports.append([report(platform, f"component/{each}?group_by=component") for each in ("usages", "actions")])
    assert reports[0] == reports[1]
    assert len(reports[0][0]["rows"]) == 6


def test_an_invalid_count_or_asset_is_a_usage_error(platform):
    analytics, key = platform.emulator.analytics, style(platform)
    draft = platform.emulator.libraries.add_style(KEY, "draft", "TEXT")
    platform.emulator.files.create("Empty")
    for wrong, words in (
        (lambda: analytics.use(KEY, "style", draft, "Empty", 1), "publishes no such style"),
        (lambda: analytics.use(KEY, "style", key, "Nowhere", 1), "no such file"),
        (lambda: analytics.use(KEY, "style", key, "Empty", -1), "out of range"),
        (lambda: analytics.act(KEY, "style", key, insertions=-1), "out of range"),
        (lambda: analytics.act(KEY, "style", key, team="9"), "no such team"),
        (lambda: analytics.act(KEY, "frame", key), "no kind of asset"),
        (lambda: analytics.sample("Empty"), "nothing is published"),
    ):
        with pytest.raises(UsageError, match=words):
            wrong()
