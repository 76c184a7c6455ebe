"""Lanyard with other SDKs: their clients with `lanyard serve --demo`, and the program with their servers."""

import os
import re

import processes
from install import HERE, filled

# The columns of the table, and the checks that every client program prints a line for.
CHECKS = ["list", "call", "structured", "errors", "progress", "cancel", "media", "resources", "templates", "prompts",
          "completion", "elicitation", "sampling", "roots", "log", "changes", "large", "parallel", "reuse"]

# The features that the tests of sdk_server_test.py check.
SERVER_TESTS = {"test_lists": ["list"], "test_calls_tools": ["call", "structured", "errors"],
                "test_shows_progress": ["progress"], "test_answers_elicitation": ["elicitation"],
                "test_answers_sampling": ["sampling"], "test_reads_resources": ["resources", "templates"],
                "test_gets_prompts": ["prompts"], "test_completes": ["completion"]}

# The output formats of test runners: Go, Rust (also used by sdk_server_test.py) and Node (TAP).
REPORTS = [(r"^--- (?P<status>\w+): (?P<name>Test\w+)", "PASS"),
           (r"^test (?P<name>\w+) \.\.\. (?P<status>\w+)(?: '(?P<why>.*)')?", "ok"),
           (r"^(?P<status>ok|not ok) \d+ - [^:\n]*: (?P<name>[^\n#]+?)\s*$", "ok")]

SECONDS = 900  # for all checks of a run


def read_checks(output):
    """Reads results from the lines `check NAME ok|fail|na DETAIL`."""
    results = {}
    for name, status, detail in re.findall(r"^check (\w+) (ok|fail|na) ?(.*)$", output, re.M):
        results[name] = ("fail", "reported twice") if name in results else (status, detail.strip())
    return {name: results.get(name, ("fail", "no result")) for name in CHECKS} | {
        name: ("fail", "no such check") for name in results if name not in CHECKS}


def read_suite(output, tests):
    """Reads results from the output of a test runner; `tests` lists the features that each test checks."""
    results = {}
    seen = set()
    for pattern, good in REPORTS:
        for found in re.finditer(pattern, output, re.M):
            name = found["name"]
            seen.add(name)
            if found["status"] in ("skipped", "SKIP", "ignored"):
                outcome = ("na", found.groupdict().get("why") or "")
            else:
                outcome = ("ok", "") if found["status"] == good else ("fail", f"{name} failed")
            for check in tests.get(name, []):
                if check not in results or results[check][0] != "fail":
                    results[check] = outcome
    for name in set(tests) - seen:
        results.update({check: ("fail", f"{name} has no result") for check in tests[name]})
    return results


def environment(program, transport, places):
    return {**os.environ, "LANYARD_PROGRAM": str(program), "LANYARD_TRANSPORT": transport,
            "LANYARD_INTEROP_NPM": places["folder"], "PYTHONWARNINGS": "ignore", "CARGO_TARGET_DIR": places["folder"],
            "FASTMCP_LOG_ENABLED": "false", "NO_COLOR": "1"}


def run_suite(client, transport, program, places):
    """Runs a client that is a test suite, which starts its servers itself."""
    command = filled(client["suites"][transport] if "suites" in client else client["command"], places)
    done = processes.run(command, SECONDS, cwd=filled([client.get("folder", "{interop}")], places)[0],
                         env=environment(program, transport, places))
    results = read_suite(done.shown, client["tests"])
    if done.code != 0 and all(status != "fail" for status, _ in results.values()):
        results["list"] = ("fail", f"the suite ended with {done.code}")
    return results, done.shown


def run_checks(client, run, program, places):
    """Runs a client program, which prints a line per check."""
    transport, era = run.split()
    command = filled(client["command"], places)
    options = {"env": environment(program, transport, places)}
    if transport == "stdio":
        done = processes.run([*command, transport, program, era], SECONDS, **options)
    else:
        try:
            with processes.demo(program) as url:
                done = processes.run([*command, transport, url[0], era], SECONDS, **options)
        except RuntimeError as why:
            return {name: ("fail", str(why)) for name in CHECKS}, str(why)
    return read_checks(done.output), done.shown


def run_client(client, run, program, places):
    """Runs a client of another SDK. Returns the results and the output of the program."""
    if "tests" in client:
        return run_suite(client, run.split()[0], program, places)
    return run_checks(client, run, program, places)


def run_server(server, run, program, places):
    """Runs our program with a server of another SDK."""
    transport, era = run.split()
    command = filled(server["command"], places)
    if transport == "http":
        command = ["--http", *command, *server.get("http", ["--http"])]
    done = processes.run(["python3", HERE / "sdk_server_test.py", program, era, *command], SECONDS,
                         env=environment(program, transport, places))
    return read_suite(done.shown, SERVER_TESTS), done.shown
