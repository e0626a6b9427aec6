"""The journal: complete records are read, incomplete ones are ignored, and damaged ones are refused."""

import os
from pathlib import Path

import pytest

from tokensync.apply.journal import (
    HEAD,
    JOURNAL,
    Answered,
    Applies,
    Finished,
    Reconciled,
    Refused,
    Resumed,
    RolledBack,
    Sending,
    Started,
    Stopped,
    Waited,
    new_journal,
    open_journal,
    sha256_of,
)
from tokensync.system.errors import ConflictError

STARTED = Started(at=1.0, file="kit", key="K", plan=sha256_of(b"plan"), before=sha256_of(b"before"), batches=2)


def sending(batch, at=2.0):
    return Sending(at=at, batch=batch, digest=f"d{batch}", bytes=10)


@pytest.fixture
def journal(tmp_path):
    made = new_journal(str(tmp_path / "applies" / "a"), b"plan", b"before")
    made.record(STARTED)
    return made


def test_records_come_back_as_they_were_written(journal):
    records = [
        sending(0),
        Answered(at=3.0, batch=0, ids={"v": "VariableID:1:1"}),
        sending(1),
        Reconciled(at=4.0, batch=1, how="unclear"),
        Refused(at=5.0, batch=1, status=None, message="gone\nfor good"),
        Resumed(at=6.0),
        Stopped(at=7.0, why="it was"),
        Finished(at=8.0, differences=("a", "b")),
        RolledBack(at=9.0, by="c"),
    ]
    for each in records:
        journal.record(each)
    assert open_journal(journal.folder).records == [STARTED, *records]


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_last_line_that_a_crash_cut_off_was_never_written(journal, cut):
    head = head_of(journal).read_bytes()
    journal.record(sending(0))
    head_of(journal).write_bytes(head)  # it is written after the line
    path = os.path.join(journal.folder, JOURNAL)
    with open(path, "rb+") as file:
        file.truncate(os.path.getsize(path) - cut)
    again = open_journal(journal.folder)
    assert again.records == [STARTED]
    again.record(sending(0, at=5.0))
    assert open_journal(journal.folder).records == [STARTED, sending(0, at=5.0)]


def test_a_line_that_was_written_before_a_crash_counts_without_a_head(journal):
    head = head_of(journal).read_bytes()
    journal.record(sending(0))
    head_of(journal).write_bytes(head)
    assert open_journal(journal.folder).records == [STARTED, sending(0)]
    rewrite(journal, lines_of(journal)[:1])
    head_of(journal).unlink()
    with pytest.raises(ConflictError, match=r"journal\.head: missing or damaged"):
        open_journal(journal.folder)


@pytest.mark.parametrize("content", [b"", b"{", b'{"number": 1}', b"[" * 100_000, b'{"number": 1, "chain": "\xff"}'])
def test_a_head_that_cannot_be_read_is_named_with_its_line(journal, content):
    head_of(journal).write_bytes(b"\n" + content)
    with pytest.raises(ConflictError, match=r"journal\.head:2: missing or damaged"):
        open_journal(journal.folder)


@pytest.mark.parametrize("kept", range(4))
def test_the_last_lines_are_missed(journal, kept):
    for each in (sending(0), Answered(at=3.0, batch=0, ids={}), sending(1)):
        journal.record(each)
    lines = lines_of(journal)
    rewrite(journal, lines[:kept])
    with pytest.raises(ConflictError, match=rf"journal\.jsonl:{kept + 1}: missing or damaged"):
        open_journal(journal.folder)
    rewrite(journal, [*lines[:3], lines[3][:20]])
    with pytest.raises(ConflictError, match=r"journal\.jsonl:4: missing or damaged"):
        open_journal(journal.folder)
    os.unlink(os.path.join(journal.folder, JOURNAL))
    with pytest.raises(ConflictError, match=r"journal\.jsonl: missing or damaged"):
        open_journal(journal.folder)


@pytest.mark.parametrize(
    "content", [None, b"", b"{}", b'{"number":-1,"chain":""}', b'{"number":2,"chain":"a"}', b"\xff"]
)
def test_a_missing_or_damaged_head_is_reported(journal, content):
    for each in (sending(0), Answered(at=3.0, batch=0, ids={})):
        journal.record(each)
    if content is None:
        head_of(journal).unlink()
    else:
        head_of(journal).write_bytes(content)
    with pytest.raises(ConflictError, match=r"journal\.(head|head:1|jsonl:2): missing or damaged"):
        open_journal(journal.folder)


def test_an_outcome_of_a_request_that_was_not_sent_is_damage(journal):
    journal.record(Answered(at=3.0, batch=0, ids={}))
    with pytest.raises(ConflictError, match=r"journal\.jsonl:2: missing or damaged"):
        open_journal(journal.folder)


def test_crashes_between_a_line_and_its_head_leave_a_readable_journal(journal):
    head = head_of(journal).read_bytes()
    for record in (Resumed(at=2.0), sending(0)):
        journal.record(record)
        head_of(journal).write_bytes(head)
        journal = open_journal(journal.folder)
    assert journal.records == [STARTED, Resumed(at=2.0), sending(0)]


def test_a_journal_that_crashed_before_its_first_head_is_readable(tmp_path):
    again = new_journal(str(tmp_path), b"", b"")
    head = head_of(again).read_bytes()
    for record in (STARTED, Resumed(at=2.0)):
        again.record(record)
        head_of(again).write_bytes(head)
        again = open_journal(again.folder)
    assert again.records == [STARTED, Resumed(at=2.0)]


def test_a_full_disk_leaves_no_line_without_a_head(journal, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("tokensync.apply.journal.replace_file", full)
        with pytest.raises(OSError, match="No space"):
            journal.record(sending(0))
    assert open_journal(journal.folder).records == journal.records == [STARTED]
    journal.record(sending(0))
    assert open_journal(journal.folder).records == [STARTED, sending(0)]


def test_an_invalid_line_in_the_middle_is_damage(journal):
    path = os.path.join(journal.folder, JOURNAL)
    with open(path, "ab") as file:
        file.write(b"{}\n")
    with pytest.raises(ConflictError, match="missing or damaged"):
        open_journal(journal.folder)


def head_of(journal):
    return Path(journal.folder, HEAD)


def lines_of(journal):
    with open(os.path.join(journal.folder, JOURNAL), "rb") as file:
        return file.read().splitlines(keepends=True)


def rewrite(journal, lines):
    with open(os.path.join(journal.folder, JOURNAL), "wb") as file:
        file.writelines(lines)


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda lines: [*lines[:1], *lines[2:]], 2),  # lost
        (lambda lines: lines[1:], 1),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], 3),  # doubled
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], 2),  # out of order
        (lambda lines: [*lines[:1], lines[1].replace(b"2.0", b"2.5"), *lines[2:]], 2),  # altered
        (lambda lines: [*lines[:2], lines[2].replace(b'"number":3', b'"number":4'), lines[3]], 3),
        (
            lambda lines: [*lines[:2], lines[2][: lines[2].index(b',"number"')] + b"}\n", lines[3]],
            3,
        ),  # without its link
        (lambda lines: [*lines[:2], lines[2].replace(b"step", b"st\xffp"), lines[3]], 3),  # not UTF-8
        (lambda lines: [*lines[:2], b"9" * 5000 + b"\n", lines[3]], 3),
    ],
)
def test_a_line_that_is_lost_altered_doubled_or_out_of_order_is_named(journal, damage, line):
    for each in (sending(0), Answered(at=3.0, batch=0, ids={"v": "VariableID:1:1"}), sending(1)):
        journal.record(each)
    rewrite(journal, damage(lines_of(journal)))
    with pytest.raises(ConflictError, match=rf"journal\.jsonl:{line}: missing or damaged"):
        open_journal(journal.folder)


def test_a_head_of_other_lines_is_named_beside_the_line(journal):
    for each in (sending(0), Answered(at=3.0, batch=0, ids={"v": "VariableID:1:1"})):
        journal.record(each)
    head = head_of(journal)
    head.write_bytes(head.read_bytes().replace(b'"chain":"', b'"chain":"0'))
    with pytest.raises(ConflictError, match=r"journal\.jsonl:3 and journal\.head: missing or damaged"):
        open_journal(journal.folder)


def test_a_journal_without_any_links_is_damaged(journal):
    journal.record(sending(0))
    rewrite(journal, [line[: line.index(b',"number"')] + b"}\n" for line in lines_of(journal)])
    head_of(journal).unlink()
    with pytest.raises(ConflictError, match=r"journal\.jsonl:1: missing or damaged.*restore it .* undo in the editor"):
        open_journal(journal.folder)


@pytest.mark.parametrize(
    ("records", "count"),
    [
        ([sending(0), Answered(at=3.0, batch=0, ids={})], 0),
        ([sending(0), Reconciled(at=3.0, batch=0, how="carried out")], 1),  # a proxy may have sent it twice
        ([sending(0), Reconciled(at=3.0, batch=0, how="carried out"), Waited(at=99.0)], 0),
        ([sending(0), sending(0), Answered(at=3.0, batch=0, ids={})], 1),
        ([sending(0), sending(0), Reconciled(at=3.0, batch=0, how="carried out")], 2),
        (
            [
                sending(0),
                Refused(at=2.0, batch=0, status=429, message=""),
                sending(0),
                Answered(at=3.0, batch=0, ids={}),
            ],
            1,
        ),
        (
            [
                sending(0),
                Refused(at=2.0, batch=0, status=None, message=""),
                sending(0),
                Answered(at=3.0, batch=0, ids={}),
            ],
            0,
        ),
        (
            [
                sending(0),
                Reconciled(at=3.0, batch=0, how="not carried out"),
                sending(0),
                Answered(at=3.0, batch=0, ids={}),
            ],
            0,
        ),
        ([sending(0), sending(0), Answered(at=3.0, batch=0, ids={}), Finished(at=4.0), Waited(at=5.0)], 0),
        ([sending(0), sending(0)], 0),  # not applied: its outcome is found first
    ],
)
def test_copies_of_an_applied_request_may_be_in_transit(journal, records, count):
    for each in records:
        journal.record(each)
    assert len(open_journal(journal.folder).in_transit) == count


def test_a_changed_file_beside_the_journal_is_reported(journal):
    with open(os.path.join(journal.folder, "plan.json"), "ab") as file:
        file.write(b" ")
    with pytest.raises(ConflictError, match=r"plan\.json: changed since the apply began"):
        journal.content("plan.json", journal.started.plan)


@pytest.mark.parametrize(
    ("records", "status"),
    [
        ([], "unsent"),
        ([Resumed(at=2.0)], "unsent"),
        ([sending(0)], "open"),
        ([sending(0), Answered(at=3.0, batch=0, ids={})], "open"),
        ([sending(0), Refused(at=3.0, batch=0, status=400, message="no")], "open"),
        ([sending(0), Stopped(at=3.0, why="no")], "stopped"),
        ([sending(0), Stopped(at=3.0, why="no"), Resumed(at=4.0)], "stopped"),
        ([sending(0), Stopped(at=3.0, why="no"), Resumed(at=4.0), sending(0)], "open"),
        ([Finished(at=3.0)], "finished"),
        ([Finished(at=3.0), RolledBack(at=4.0, by="b")], "rolled back"),
    ],
)
def test_a_status_tells_whether_a_request_may_be_in_transit(journal, records, status):
    for each in records:
        journal.record(each)
    assert open_journal(journal.folder).status == status


def test_what_is_known_of_a_request_adds_up(journal):
    for each in (
        sending(0, 2.0),
        Refused(at=3.0, batch=0, status=None, message="never left"),
        sending(0, 4.0),
        sending(1, 5.0),
        Reconciled(at=6.0, batch=0, how="carried out", ids={"v": "1"}),
    ):
        journal.record(each)
    first, second, third = map(journal.batch, range(3))
    assert [each.at for each in first.sent] == [2.0, 4.0]
    assert (first.uncertain, first.ids, first.answered) == ((), {"v": "1"}, False)
    assert second.sent == second.pending == (sending(1, 5.0),)
    assert second.ids is None
    assert third.sent == ()
    assert journal.carried_out == 1


def test_applies_are_listed_by_when_they_began_and_by_file(tmp_path):
    applies = Applies(str(tmp_path))
    for number, file in enumerate(["kit", "other", "kit"]):
        made = applies.new(file, b"plan", b"before", 1_800_000_000.0)
        if number < 2:
            made.record(Started(at=1.0, file=file, key="K", plan="", before="", batches=1))
    assert [each.started.file for each in applies.of("kit")] == ["kit"]
    assert len(os.listdir(applies.root)) == 3


def test_the_latest_apply_is_the_last_one_after_the_time_was_set_back(tmp_path):
    applies = Applies(str(tmp_path))
    plans = [str(number) for number in range(102)]
    for number, plan in enumerate(plans):
        made = applies.new("kit", b"plan", b"before", 1_800_000_000.0 - 86_400 * (number > 0))
        made.record(Started(at=1.0, file="kit", key="K", plan=plan, before="", batches=1))
    assert [each.started.plan for each in applies.of("kit")] == plans


def test_an_unrelated_folder_is_ignored(tmp_path):
    applies = Applies(str(tmp_path))
    os.makedirs(os.path.join(applies.root, "notes"))
    (tmp_path / "applies" / "readme.txt").write_text("mine", encoding="utf-8")
    assert applies.of("kit") == ()
