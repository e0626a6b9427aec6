"""Fixtures and settings for all rooms."""

import gc
import itertools
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings
from xdist.scheduler import LoadGroupScheduling

pytest_plugins = [
    "checkers",
    "outside.android_tools",
    "outside.counts",
    "outside.graphs",
    "outside.kotlin_compiler",
    "outside.react_native",
    "outside.swift_compiler",
]

# How long an example takes depends on what else the machine does; in CI every run tries the same examples.
_REPEATABLE = bool(os.environ.get("CI"))
settings.register_profile("usual", max_examples=25, deadline=None, derandomize=_REPEATABLE)
settings.register_profile("campaign", max_examples=100, deadline=None, derandomize=_REPEATABLE)
settings.register_profile("thorough", max_examples=2_000, deadline=None)
settings.load_profile("usual")

_IN_MEMORY = Path("/dev/shm")
_LARGEST_RUN = 4 << 30
"""Bytes; several times what the folders of all tests take."""
_TESTS = Path(__file__).parent
_CAMPAIGNS = ("benchmarks", "house")
"""Folders whose tests are about the repository, not the product; `make campaigns` runs them."""
_FOLDERS = itertools.count()
_LONGEST_ID = 100
"""The most characters of a parameter in the name of a test."""


def pytest_configure(config):
    """Put the folders of tests into memory, where there is such a place: tokensync waits for a disk at each write.

    Collect garbage rarely, also where the reports of all tests arrive: it took a sixth of the time of a run.
    """
    gc.set_threshold(100_000, 50, 100)
    if hasattr(config, "workerinput"):
        _begin_elsewhere(config)
    if "PYTEST_DEBUG_TEMPROOT" in os.environ or not os.access(_IN_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(_IN_MEMORY).free > _LARGEST_RUN:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_IN_MEMORY)


def _begin_elsewhere(config):
    """Let each worker collect another part of all tests first: it stores what it compiles, and the others load that.

    In a new clone, compiling the assertions of all modules takes longer than all the rest of collection.
    """
    if [Path(arg).resolve() for arg in config.args] == [_TESTS]:
        number, count = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
        folders = sorted(str(path) for path in _TESTS.iterdir() if any(path.rglob("test_*.py")))
        first = len(folders) * number // count
        config.args[:] = folders[first:] + folders[:first]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark campaigns, and give all workers the same order."""
    items.sort(key=lambda item: str(item.path))
    for item in items:
        if item.path.relative_to(_TESTS).parts[0] in _CAMPAIGNS:
            item.add_marker("campaign")


def pytest_make_parametrize_id(val):
    """Shorten long texts: pytest puts the name of a test into a variable, which Windows limits to 32,767 characters."""
    return f"{val[:_LONGEST_ID]!a}..." if isinstance(val, str | bytes) and len(val) > _LONGEST_ID else None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Remove the folders from memory when all tests passed; not sooner, since a test may leave its folder in use."""
    is_worker = hasattr(session.config, "workerinput")
    base = session.config._tmp_path_factory._basetemp
    if exitstatus == 0 and not is_worker and base is not None and base.is_relative_to(_IN_MEMORY):
        shutil.rmtree(base, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config):
    """Return one worker more than there are processors, because some tests wait."""
    return (yield) + 1


class ByModule(LoadGroupScheduling):
    """Gives a whole module to a worker, and a whole group: what a module prepares is prepared once.

    With a unit of work for each test, handing out a test costs xdist a look at all that were handed out before.
    """

    def _split_scope(self, nodeid):
        group = super()._split_scope(nodeid)
        path = nodeid.partition("::")[0]
        return group if group != nodeid or path.startswith("tests/outside/") else path  # checkers take seconds a test


def pytest_xdist_make_scheduler(config, log):
    return ByModule(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Let workers send one report of a test that passes: those of its set-up and end say only how long they took."""
    options = item.config.option
    if not hasattr(item.config, "workerinput") or options.durations is not None or options.xmlpath is not None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_collection_finish(session):
    """Freeze the objects that exist, so that garbage is not looked for among them."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def tmp_path(request, tmp_path_factory):
    """Return a new folder. pytest's own fixture lists all folders of the run to find a number that is free."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return tmp_path_factory.mktemp(f"{name}_{next(_FOLDERS)}", numbered=False)


@pytest.fixture(autouse=True, scope="session")
def _nothing_of_the_users(tmp_path_factory):
    """Hide the logins and cached graphs of the user, and let commands put temporary folders beside those of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        for settings_folder in ("XDG_CONFIG_HOME", "APPDATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.setenv(settings_folder, str(tmp_path_factory.mktemp("settings")))
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
        yield
