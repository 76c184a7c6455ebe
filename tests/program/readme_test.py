#!/usr/bin/env python3
"""readme_test.py PROGRAM: runs the curl commands of README.md in a shell, with the demonstration server. Their output
has to match README.md."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
GUARD = 60


def sessions():
    """The commands and the expected output of each console block that uses curl."""
    for block in re.findall(r"(?ms)^```console\n(.*?)^```", README.read_text()):
        if "$ curl" not in block:
            continue
        typed, printed, rest = [], [], iter(block.splitlines())
        quoted = False
        for line in rest:
            if quoted or line.startswith("$ ") or (typed and typed[-1].endswith("\\")):
                typed.append(line.removeprefix("$ "))
                quoted ^= line.count("'") % 2 == 1
            else:
                printed.append(line)
        yield "\n".join(typed), "\n".join(printed)


class ReadmeTest(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([PROGRAM, "serve", "--demo", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE,
                                       text=True)
        self.url = re.search(r"http://\S+", self.server.stdout.readline())[0]

    def tearDown(self):
        self.server.terminate()
        self.server.stdout.close()
        self.assertEqual(self.server.wait(GUARD), 0)

    def test_the_commands_print_the_documented_output(self):
        found = list(sessions())
        self.assertEqual(len(found), 2)
        for typed, printed in found:
            with tempfile.TemporaryDirectory() as folder:
                script = typed.replace("http://127.0.0.1:8080/mcp", self.url)
                done = subprocess.run(["bash", "-euc", script], cwd=folder, capture_output=True, text=True,
                                      timeout=GUARD, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.strip(), printed)


if __name__ == "__main__":
    unittest.main()
