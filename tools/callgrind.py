"""Counts user instructions with callgrind, for the tools that check or plot them.

A program that calls mark(label) of bench/server_tools.hpp writes a dump with the counts since the previous
mark. Counts do not depend on other work on the machine, nor on the machine itself, as far as valgrind
emulates the same processor everywhere.
"""

import collections
import os
import pathlib
import re
import shutil
import typing

TRIGGER = "desc: Trigger: Client Request: "


class Mark(typing.NamedTuple):
    """The counts between the previous mark and this one."""
    label: str
    instructions: int
    mallocs: int
    dump: pathlib.Path


def available():
    return shutil.which("valgrind") is not None


def command(out):
    """The command that runs a program under callgrind; its dumps are OUT.1, OUT.2, ..."""
    return ["valgrind", "--tool=callgrind", "-q", "--dump-line=no", f"--callgrind-out-file={out}"]


def environment():
    """The environment of counted programs: it does not depend on the user, and selects the simdjson
    implementation that most processors support, also under later versions of valgrind."""
    return {"PATH": os.environ["PATH"], "SIMDJSON_FORCE_IMPLEMENTATION": "haswell"}


def unfit_processor():
    """Why counts of this machine are not comparable with others; None if they are."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        flags = None
    missing = {"avx2", "bmi1", "bmi2", "pclmulqdq"} - set(flags[1].split() if flags else [])
    return f"the processor lacks {', '.join(sorted(missing))}" if missing else None


def read_dumps(out):
    """The marks of a program that was run with command(out), in order."""
    marks, before, number = [], 0, 1
    while (dump := pathlib.Path(f"{out}.{number}")).exists():
        number += 1
        label, instructions = None, None
        with dump.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith(TRIGGER):
                    label, mallocs = line[len(TRIGGER):].rstrip("\n").rsplit(" ", 1)
                elif line.startswith(("summary: ", "totals: ")):
                    instructions = int(line.split()[1])
                if label is not None and instructions is not None:
                    break
        if label is None or instructions is None:
            continue
        marks.append(Mark(label, instructions, int(mallocs) - before, dump))
        before = int(mallocs)
    return marks


def functions_of(dump):
    """The instructions of each function itself, without the functions it calls."""
    names, spent, function, inclusive = {}, collections.Counter(), None, False
    with dump.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
                names.setdefault(match[1], match[2])
                if line.startswith("fn="):
                    function = match[1]
            elif line.startswith("calls="):
                inclusive = True  # the next line has the cost of the called function
            elif match := re.match(r"[+*-]?\d* (\d+)$", line):
                if not inclusive:
                    spent[function] += int(match[1])
                inclusive = False
    return collections.Counter({names[function]: count for function, count in spent.items()})
