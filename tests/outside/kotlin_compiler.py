"""The Kotlin compiler with Compose itself, as a fixture that lasts the session and raises Refused.

kotlinc(files: Mapping[str, str], main: str = "", *options: str, common: bool = False) -> str
    Compiles Kotlin against Compose for the desktop with Material 3, and with Compose's compiler plugin; with the name
    of a class (``MainKt``), runs it, without a screen, and gives what it prints. Options are the compiler's. What only
    Android's Compose or a later one has is in compose_stand_ins/, as is ``scene.composed``, which composes content;
    ``common`` code gets on without them. The annotation of previews is that of Compose 1.10. The first call takes some
    four seconds more than the others.
"""

import os
import shutil
import struct
import subprocess
from itertools import count
from pathlib import Path
from typing import Self

import pytest
from checkers import INSTALLED, Refused, missing, run, written

STAND_INS = Path(__file__).with_name("compose_stand_ins")
STRICT = ("-Xexplicit-api=strict", "-progressive", "-Werror")
"""What libraries compile with: each visibility and type is declared, and nothing is deprecated."""
JARS = INSTALLED / "compose"
COMPILER = ("kotlin-compiler", "kotlin-daemon", "kotlin-compose-compiler", "kotlin-reflect", "kotlin-script")
"""Beginnings of the names of the jars that are not of the compiled program."""
JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8")


class Compiler:
    """A process of the compiler that is asked again and again."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("KotlinCompiler.java")
        # Java has 48 MB for compiled code at this level, and says on stdout, amid the answers, when they are full.
        memory = ("-Xmx3g", "-XX:ReservedCodeCacheSize=240m", "-XX:+DisplayVMOutputToStderr")
        command = [*JAVA, *memory, "-cp", f"{JARS}/*", str(program)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def compile(self, arguments: list[str]) -> None:
        encoded = [argument.encode() for argument in arguments]
        request = b"".join(struct.pack(">i", len(argument)) + argument for argument in encoded)
        self.process.stdin.write(struct.pack(">i", len(encoded)) + request)
        self.process.stdin.flush()
        head = self.process.stdout.read(8)
        if len(head) < 8:
            raise Refused("kotlinc ended; what it says is in the captured stderr")
        code, length = struct.unpack(">ii", head)
        said = self.process.stdout.read(length).decode()
        if code:
            raise Refused(f"kotlinc: {said.strip()[:4000]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def kotlinc(tmp_path_factory):
    if not JARS.is_dir():
        missing("Compose", "`make verify` installs it")
    if shutil.which("javac") is None:
        missing("kotlinc", "a Java compiler is not on the path; on Debian the package openjdk-17-jdk-headless")
    (plugin,) = JARS.glob("kotlin-compose-compiler-plugin-*.jar")
    base = tmp_path_factory.mktemp("kotlinc")
    library = [str(path) for path in sorted(JARS.glob("*.jar")) if not path.name.startswith(COMPILER)]
    (base / "stand-ins").mkdir()
    arguments = ["-no-stdlib", "-no-reflect", f"-Xplugin={plugin}", "-cp"]
    folders = (base / str(number) for number in count())
    with Compiler() as compiler:
        stand_ins = str(base / "stand-ins")
        compiler.compile([*arguments, os.pathsep.join(library), "-nowarn", "-d", stand_ins, str(STAND_INS)])

        def compile_and_run(files, main="", *options, common=False):
            folder = next(folders)
            paths = library if common else [*library, stand_ins]
            sources = [str(written(folder, files) / name) for name in files]
            quiet = [] if "-Werror" in options else ["-nowarn"]
            path = os.pathsep.join(paths)
            compiler.compile([*arguments, path, *quiet, *options, "-d", str(folder / "classes"), *sources])
            answer = run([*JAVA, "-cp", os.pathsep.join([str(folder / "classes"), path]), main]) if main else ""
            shutil.rmtree(folder)  # the classes of all calls together would fill the memory that it is in
            return answer

        yield compile_and_run
