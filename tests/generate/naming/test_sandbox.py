"""The process that renders a checkout's templates: its limits, and a compromised child."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from graphs import collection, color, graph, token

from tokensync.generate.naming import names_for, sandbox, template_files
from tokensync.generate.naming.templates import Limits
from tokensync.generate.targets import naming_of
from tokensync.settings import NamingConfig
from tokensync.system import child
from tokensync.system.errors import ProblemsError

LIMITS = Limits(seconds=5)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")


@pytest.fixture
def render():
    """Renders a template in a process of its own with these limits."""
    made = []

    def run(source, limits=LIMITS, **context):
        made.append(sandbox.Sandbox(limits))
        return made[-1].render((("x.j2", source.encode()),), "x.j2", (), context).decode()

    yield run
    for each in made:
        each.close()


def test_rows_are_worked_out_only_when_a_template_looks_at_them(render):
    asked = []

    def rows(name):
        def make():
            asked.append(name)
            return [f"{name}1", f"{name}2"]

        return sandbox.Later(make)

    text = render("{{ a | length }}{% for each in a %}{{ each }}{% endfor %}{{ a[0] }}", a=rows("a"), b=rows("b"))
    assert text == "2a1a2a1"
    assert asked == ["a"]


def test_what_can_be_read_only_once_comes_as_rows_too(render):
    assert (
        render("{% for a, b in pairs %}{{ a }}{{ b | join }};{% endfor %}", pairs=((n, iter("xy")) for n in "12"))
        == "1xy;2xy;"
    )


def test_the_memory_of_the_process_that_started_it_does_not_count(render):
    memory = 192 << 20
    held = b"x" * memory
    assert render("{{ 1 + 1 }}", Limits(memory=memory)) == "2"
    assert held


def test_all_files_of_a_build_together_have_their_time():
    """Several times as much as one of them takes, so that the first ones are rendered."""
    slow = "{% for a in range(300) %}{% for b in range(9000) %}{% endfor %}{% endfor %}done"
    own = (("x.j2", slow.encode()),)
    began = time.monotonic()
    alone = sandbox.Sandbox(Limits())
    alone.render(own, "x.j2", (), {})
    alone.close()
    running = sandbox.Sandbox(Limits(seconds=60, seconds_in_all=3 * (time.monotonic() - began)))
    made = []
    with pytest.raises(ProblemsError, match="all templates of a build together take more than"):
        made.extend(running.render(own, "x.j2", (), {}) for _ in range(500))
    assert made[0] == b"done"
    assert not running.is_open


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("pack('>cQ', b'?', 2) + b'99'", "invalid message"),
        ("pack('>cQ', b'?', 6000) + b'9' * 6000", "invalid message"),
        ("pack('>cQ', b'x', 1) + b'0'", "invalid message"),
        ("pack('>cQ', b'+', 1) + bytes([255])", "invalid message"),
        ("pack('>cQ', b'?', 3) + b'abc'", "invalid message"),
        ("pack('>cQ', b'-', 3) + b'{}}'", "correct the template"),
        ("pack('>cQ', b'+', 1 << 40)", "its process ended"),
        ("b'?'", "its process ended"),
        ("b''", "its process ended"),
    ],
)
def test_whatever_it_answers_is_text_or_a_problem(monkeypatch, sent, message):
    """As a template could have it do that found a way out of its sandbox."""
    monkeypatch.setattr(sandbox, "_BOOT", f"import sys; from struct import pack; sys.stdout.buffer.write({sent})")
    running = sandbox.Sandbox(Limits(seconds=5))
    with pytest.raises(ProblemsError, match=message):
        running.render((("x.j2", b"x"),), "x.j2", (), {"rows": iter(())})
    running.close()


def test_its_last_words_are_in_the_message(monkeypatch):
    monkeypatch.setattr(sandbox, "_BOOT", "raise ImportError('no module of this name')")
    running = sandbox.Sandbox(LIMITS)
    with pytest.raises(ProblemsError, match="ended with 1: ImportError: no module of this name"):
        running.render((), "x.j2", (), {})


def test_templates_that_changed_are_sent_again_and_others_are_not():
    running = sandbox.Sandbox(LIMITS)
    large = ("large.j2", b"x" * (3 << 20))
    sent = []
    write = running._to_child.write
    running._to_child = SimpleNamespace(
        write=lambda content: sent.append(len(content)) or write(content),
        flush=running._to_child.flush,
        close=running._to_child.close,
    )
    texts = [running.render((large, ("x.j2", text)), "x.j2", (), {}) for text in (b"1", b"1", b"2")]
    running.close()
    assert texts == [b"1", b"1", b"2"]
    assert [size > 3 << 20 for size in sent if size > 17] == [True, False, True]


def test_all_files_of_a_build_together_have_their_size():
    running = sandbox.Sandbox(Limits(seconds=5, size_in_all=2500))
    texts = []
    with pytest.raises(ProblemsError, match="all templates of a build together write more than"):
        texts.extend(running.render((("x.j2", b"x" * 1000),), "x.j2", (), {}) for _ in range(3))
    running.close()
    assert len(texts) == 2


LOOP = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process in the middle of a call")


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL", "SIGHUP"])
@pytest.mark.parametrize("loop", [LOOP, pytest.param("{{ 10 ** (10 ** 9) }}", marks=on_linux, id="one call")])
def test_it_ends_with_the_process_that_started_it(end, loop):
    """However that one ends: a runner that cancels a job leaves it no time to ring an alarm."""
    program = f"""
from tokensync.generate.naming.sandbox import Sandbox
from tokensync.generate.naming.templates import LIMITS
running = Sandbox(LIMITS)
running.render((("x.j2", b"it has started"),), "x.j2", (), {{}})
print(running._process.pid, flush=True)
running.render((("x.j2", {loop.encode()!r}),), "x.j2", (), {{}})
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, encoding="utf-8") as started:
        try:
            child = int(started.stdout.readline())
            time.sleep(0.2)
            assert started.poll() is None
            started.send_signal(signal.Signals[end])
            started.wait(60)
        finally:
            started.kill()
        until = time.monotonic() + 60
        while is_running(child) and time.monotonic() < until:
            time.sleep(0.05)
    assert not is_running(child)


def is_running(pid):
    """Whether a process runs; a zombie, which nobody has asked for its end yet, does not."""
    if os.path.isdir("/proc/self"):
        with suppress(FileNotFoundError, ProcessLookupError):
            return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def bounded(memory, then, before=""):
    """Runs code in a process that has bounded itself as one that renders does; its exit code and what it printed."""
    code = f"""{before}
import os; from tokensync.generate.naming import sandbox, templates
sandbox._limit_this_process(templates.Limits(memory={memory}), os.getppid())
{then}"""
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-B", "-c", code]  # a shell has no peak to hand on
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, env=environment, timeout=60, encoding="utf-8")
    return done.returncode, done.stdout


linux = pytest.mark.skipif(sys.platform != "linux", reason="no other system keeps to this bound")


def test_it_has_no_secret_in_its_environment(monkeypatch):
    """A template that escaped from Jinja's sandbox could read it."""
    for name in ("FIGMA_TOKEN", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "s3cret")
    start, started = child.start, []
    monkeypatch.setattr(child, "start", lambda command, given: started.append(given) or start(command, given))
    sandbox.Sandbox(LIMITS).close()
    (given,) = started
    assert "s3cret" not in given.values()


def test_it_writes_no_file(tmp_path):
    path = tmp_path / "written"
    write = f"""
try:
    open({str(path)!r}, "wb", buffering=0).write(b"x")
except OSError as fault:
    print(fault.strerror)
"""
    assert bounded(1 << 30, write) == (0, "File too large\n")
    assert path.read_bytes() == b""


@linux
def test_memory_beyond_the_bound_is_not_given_even_where_it_is_not_used():
    reserve = f"""
import mmap
try:
    mmap.mmap(-1, {256 << 20})
except OSError as fault:
    print(fault.strerror)
"""
    assert bounded(256 << 20, reserve) == (0, "Cannot allocate memory\n")


def test_it_is_ended_when_it_uses_more_where_the_system_keeps_to_no_bound():
    keeping_to_none = "import resource; resource.setrlimit = lambda *_: None"
    use = "import time; held = b'x' * ({} << 20); time.sleep({})"
    assert bounded(32 << 20, use.format(64, 30), keeping_to_none) == (sandbox._TOO_LARGE, "")
    assert bounded(32 << 20, use.format(8, 0.5), keeping_to_none) == (0, "")


def test_a_template_has_4_mib_at_most(tmp_path):
    template = tmp_path / "x.j2"
    template.write_bytes(b"x" * (4 << 20))
    assert template_files(str(tmp_path)) == (("x.j2", template.read_bytes()),)
    with template.open("ab") as file:
        file.write(b"x")
    with pytest.raises(ProblemsError, match="it is larger than 4 MiB"):
        template_files(str(tmp_path))


def test_it_ends_where_its_parent_ended_while_it_was_starting():
    arguments = [json.dumps(sys.path), json.dumps(LIMITS), str(os.getpid() + 1)]
    command = [sys.executable, "-I", "-S", "-B", "-c", sandbox._BOOT, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        try:
            assert child.wait(timeout=20) == 0
        finally:
            child.kill()


def test_other_limits_end_the_process_of_earlier_ones():
    """A command that only asks for names leaves the process open; the next one may have other limits."""
    try:
        assert sandbox.render((("x.j2", b"x"),), "x.j2", (), {}, Limits(seconds=30)) == b"x"
        endless = b"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
        with pytest.raises(ProblemsError, match="it takes more than 0.5 s"):
            sandbox.render((("x.j2", endless),), "x.j2", (), {}, Limits(seconds=0.5))
    finally:
        sandbox.close()


def test_a_line_of_the_configuration_has_the_limits_of_a_template(monkeypatch):
    """A pull request can change the configuration, too."""
    theme = collection("Theme")
    made = graph(theme, token(theme, "a", color("#000000")))
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    monkeypatch.setattr("tokensync.generate.naming.LIMITS", Limits(seconds=1))
    with pytest.raises(ProblemsError, match="it takes more than 1 s") as raised:
        names_for(made, made.tokens.values(), naming_of("css"), settings=NamingConfig(template=endless))
    assert raised.value.problems[0].where == f"naming.template {endless!r}"
    sandbox.close()
