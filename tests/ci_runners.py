"""What runners of CI services take for a command in a program's output, by the rules that they publish.

- GitHub Actions: actions/runner 2.336.0, ``src/Runner.Common/ActionCommand.cs``. ``OutputManager.OnDataReceived`` asks
  ``TryParseV2`` and then ``TryParse`` for each line of stdout and of stderr. Names ignore case. Any name counts here,
  since a step can register names of its own by ``stop-commands``.
- Azure Pipelines: microsoft/azure-pipelines-agent, ``Command.cs`` (a command) and ``WorkerCommandManager.cs`` (a
  warning for any other line with ``##vso``).
- TeamCity: "Service Messages" of its documentation: ``##teamcity[`` anywhere in a line of stdout.

Each line is read as .NET's ``StreamReader.ReadLine`` does: CR, LF and CR LF end it.
"""

from collections.abc import Iterator


def commands(output: str) -> list[str]:
    """Return the lines of an output that a runner acts on."""
    lines = output.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line for line in lines if any(_found(line))]


def _found(line: str) -> Iterator[bool]:
    yield _double_colon(line)
    yield _number_signs(line)
    yield "##vso" in line.lower()
    yield "##teamcity[" in line.lower()


def _double_colon(line: str) -> bool:
    """``TryParseV2``: the trimmed line starts with two colons, and two more end the name and its properties."""
    trimmed = line.lstrip()
    return trimmed.startswith("::") and trimmed.find("::", 2) > 2


def _number_signs(line: str) -> bool:
    """``TryParse``: the prefix, wherever it is, and a bracket somewhere after it."""
    start = line.find("##[")
    return start >= 0 and line.find("]", start) > start + 3
