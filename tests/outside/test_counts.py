"""The table of counts: what is in it, what is missing from it, and how it gets into a page."""

import tempfile
from types import SimpleNamespace

import pytest
from outside.counts import (
    BEGIN,
    COLUMNS,
    END,
    FOLDER,
    ROWS,
    SWIFT,
    UNITS,
    UNITS_HEAD,
    Counts,
    folder,
    gathered,
    put_into,
    pytest_configure,
    pytest_unconfigure,
    shown_in,
    table,
    uncompared,
    units_table,
)

ROW = ROWS[0]


def test_counts_of_all_workers_are_added_up(tmp_path):
    Counts(tmp_path / "1.jsonl")(ROW.target, ROW.what, "moon", 3, [])
    other = Counts(tmp_path / "2.jsonl")
    other(ROW.target, ROW.what, "moon", 4, [])
    with pytest.raises(AssertionError, match="moon: 2 of 5 differ:\none\nother"):
        other(ROW.target, ROW.what, "moon", 5, ["one", "other"])
    assert gathered(tmp_path) == {(ROW.target, ROW.what, "moon"): (12, 2)}


def test_a_row_or_a_graph_that_is_not_declared_cannot_be_counted(tmp_path):
    for wrong in ((ROW.target, "something else", "moon"), (ROW.target, ROW.what, "mars")):
        with pytest.raises(AssertionError, match="is no (row|column) of"):
            Counts(tmp_path / "1.jsonl")(*wrong, 1, [])


def test_uncompared_rows_are_reported_with_their_graph():
    counts = {(row.target, row.what, graph): (1, 0) for row in ROWS for graph in COLUMNS}
    assert uncompared(counts) == []
    del counts[ROW.target, ROW.what, "primer"]
    assert uncompared(counts) == [f"{ROW.target}: {ROW.what}: primer"]


def test_rows_of_the_swift_compiler_may_be_empty_as_a_whole():
    counts = {(row.target, row.what, graph): (1, 0) for row in ROWS for graph in COLUMNS if row.reader != SWIFT}
    assert uncompared(counts) == []
    (row,) = [row for row in ROWS if row.reader == SWIFT]
    counts[row.target, row.what, "moon"] = (1, 0)
    assert f"{row.target}: {row.what}: primer" in uncompared(counts)


def test_the_graphs_that_are_absent_are_asked_of_no_row():
    counts = {(row.target, row.what, "quickstart"): (1, 0) for row in ROWS}
    assert uncompared(counts) == []


def test_the_process_that_gathers_them_removes_their_folder_and_no_worker_does(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(FOLDER, "")
    pytest_configure(SimpleNamespace())
    Counts(folder() / "1.jsonl")(ROW.target, ROW.what, "moon", 3, [])
    pytest_unconfigure(SimpleNamespace(workerinput={}))
    assert gathered(folder()) != {}
    pytest_unconfigure(SimpleNamespace())
    assert [*tmp_path.iterdir()] == []


def test_the_table_is_put_between_the_marks_of_a_page_and_read_back(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    put_into(page, table({(ROW.target, ROW.what, graph): (1234, 1) for graph in COLUMNS}))
    head, _, *rows = shown_in(page)
    assert head == ["target", "what is compared", "read by", *COLUMNS, "differences"]
    assert rows == [[*ROW, *["1,234"] * len(COLUMNS), str(len(COLUMNS))]]
    assert page.read_text(encoding="utf-8").startswith("before\n\n<!--")
    assert page.read_text(encoding="utf-8").endswith("-->\n\nafter\n")


def test_the_table_of_units_has_its_own_place_on_a_page(tmp_path):
    page = tmp_path / "page.md"
    begin, end = UNITS
    page.write_text(f"{BEGIN}\nold\n{END}\n{begin}\n{end}\n", encoding="utf-8")
    line = ["Kit", "3", "2", "1", "0", "1: a reason"]
    put_into(page, units_table([line]), UNITS)
    assert shown_in(page, UNITS) == [UNITS_HEAD, ["---", *["--:"] * 4, "---"], line]
    assert shown_in(page) == [["old"]]
