"""Run the steps of action.yml, and read the runner's files as it does (2.336.0, ``FileCommandManager.cs``)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from action.github import TOKEN
from corpus.building import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


_AFTER_APPLY = "always() && inputs.mode == '{}' && steps.run.outcome != 'skipped'"


def evaluated(text: str, context: Mapping[str, str]) -> str:
    """Replace the expressions of a text as the runner does; unknown ones are empty. ``||`` takes the first value."""

    def value(match: re.Match[str]) -> str:
        return next(filter(None, (context.get(name.strip(), "") for name in match[1].split("||"))), "")

    return re.sub(r"\$\{\{\s*(.+?)\s*\}\}", value, text)


def input_context(inputs: Mapping[str, str]) -> dict[str, str]:
    """Return the expressions of the inputs, with their defaults."""
    context = {"github.token": TOKEN}
    for name, each in ACTION["inputs"].items():
        context[f"inputs.{name}"] = inputs.get(name, evaluated(each.get("default", ""), context))
    return context


def step_variables(step: Mapping[str, dict[str, str]], context: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that a step sets."""
    return {name: evaluated(value, context) for name, value in step.get("env", {}).items()}


def run_steps(
    variables: Mapping[str, str],
    folder: Path,
    inputs: Mapping[str, str],
    started: Callable[[subprocess.Popen[str]], None] = lambda process: None,
    **more: str,
) -> tuple[list[int], dict[str, str], str]:
    """Run the steps of the composite action in a folder; return the exit codes, the outputs of the action and the log.

    ``variables`` are those of the runner. ``started`` receives each process, which leads a group of its own. Steps that
    always run are the end: they get no process to ``started``, and have no exit code.
    """
    variables = {name: value for name, value in variables.items() if name[:9] != "TOKENSYNC"}
    temp = Path(variables["RUNNER_TEMP"])
    environment = temp / "tokensync-environment"
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/*/site-packages")
    (packages / "locked.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    context = {"runner.temp": str(temp), "steps.python.outputs.python-path": sys.executable, **input_context(inputs)}
    base = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    base |= {**variables, "GITHUB_ACTION_PATH": str(ROOT), "RUNNER_OS": "Linux", "GITHUB_ACTIONS": "true", **more}
    codes: list[int] = []
    log = ""
    for number, step in enumerate(ACTION["runs"]["steps"]):
        condition = step.get("if", "")
        is_last = condition.startswith("always() && ")
        is_prepared = "cache-hit" in condition or step.get("id") == "install"
        if "run" not in step or is_prepared or (any(codes) and not is_last):
            continue
        if is_last and condition != _AFTER_APPLY.format(inputs["mode"]):
            continue
        base["GITHUB_OUTPUT"] = str(temp / f"output-{number}")
        Path(base["GITHUB_OUTPUT"]).touch()
        assert "${{" not in step["run"]
        with subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**base, **step_variables(step, context)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            encoding="utf-8",
        ) as process:
            if not is_last:
                started(process)
            log += process.communicate(timeout=100)[0]
        if is_last:
            continue
        codes.append(process.returncode)
        for name, value in outputs_in(Path(base["GITHUB_OUTPUT"])).items():
            context[f"steps.{step['id']}.outputs.{name}"] = value
    return codes, {name: evaluated(each["value"], context) for name, each in ACTION["outputs"].items()}, log


def outputs_in(path: Path) -> dict[str, str]:
    """Return the outputs of a step; the last of equal names counts. Raises ValueError where the runner fails it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
        elif heredoc >= 0:
            name, delimiter = line[:heredoc], line[heredoc + 2 :]
            if not name or not delimiter:
                raise ValueError(line)
            start = at
            while lines[at : at + 1] != [delimiter]:
                if at >= len(lines):
                    raise ValueError(f"no {delimiter}")
                at += 1
            found[name] = "\n".join(lines[start:at])
            at += 1
        else:
            raise ValueError(line)
    return found
