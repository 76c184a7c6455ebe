#!/usr/bin/env python3
"""calls_test.py BENCH-LOAD BENCH-SERVER: the load generator against Lanyard's server and against the floor, in every mode
and with every call, and against servers with wrong answers."""

import json
import subprocess
import sys
import unittest

LOAD, SERVER = sys.argv[1:3]
TOOLS = {"echo": "plain", "add": "plain", "list": "list", "text": "text"}


def load(options, command):
    return subprocess.run([LOAD, *options, "--", *command], capture_output=True, text=True, timeout=120, check=False)


def figures(options, command):
    done = load(options, command)
    if done.returncode != 0:
        raise AssertionError(f"{options}: {done.stderr}")
    return json.loads(done.stdout)


class Calls(unittest.TestCase):
    def check(self, found, call):
        self.assertEqual(found["call"], call)
        self.assertGreater(found["calls"], 0)
        self.assertEqual(found["unanswered"], 0)
        self.assertGreater(found["cpu_us"], 0)
        self.assertLessEqual(found["latency_us"]["p50"], found["latency_us"]["max"])

    def test_pass_over_http(self):
        for mode in ("session", "stateless", "modern"):
            for call, tools in TOOLS.items():
                command = [SERVER, "--port", "{port}", "--tools", tools] + ["--stateless"] * (mode == "stateless")
                self.check(figures(["--call", call, "--mode", mode, "--width", "4", "--seconds", "0.02"], command), call)

    def test_pass_over_stdio(self):
        for mode in ("session", "modern"):
            for call, tools in TOOLS.items():
                command = [SERVER, "--stdio", "--tools", tools]
                self.check(figures(["--call", call, "--mode", mode, "--width", "16", "--seconds", "0.02"], command), call)

    def test_pass_at_a_fixed_rate(self):
        for command in ([SERVER, "--port", "{port}"], [SERVER, "--stdio"]):
            found = figures(["--width", "8", "--rate", "2000", "--seconds", "0.1"], command)
            # A machine that is busy with other work may not answer all of them in time.
            self.assertEqual(found["call"], "echo")
            self.assertEqual(found["calls"] + found["unanswered"], 200)
            self.assertGreater(found["calls"], 0)

    def test_pass_with_the_floor(self):
        for call in TOOLS:
            for port in ([], ["{port}"]):
                command = [LOAD, "--floor", call, *port]
                self.check(figures(["--unchecked", "--call", call, "--width", "2", "--seconds", "0.02"], command), call)

    def test_refuses_wrong_answers(self):
        for options, command, why in (
                (["--call", "text"], [SERVER, "--stdio"], "not the answer to a call"),
                (["--call", "list"], [SERVER, "--stdio"], "not 80 tools"),
                (["--mode", "stateless"], [LOAD, "--floor", "echo", "{port}"], "not the answer to a call"),
                (["--mode", "stateless"], [SERVER, "--port", "{port}"], "status 4"),
                ([], ["cat"], "not initialized"),
                ([], ["true"], "the server"),
                ([], ["false", "{port}"], "the server has ended with status 1")):
            done = load(options, command)
            self.assertEqual(done.returncode, 1, command)
            self.assertIn(why, done.stderr)

    def test_explains_its_options(self):
        for options in ([], ["--width", "x", "--", "true"], ["--mode", "x", "--", "true"], ["--floor"]):
            done = subprocess.run([LOAD, *options], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("usage: bench-load", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
