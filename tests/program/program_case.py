"""What the tests of the lanyard program share: how it is run, and what it has to do then."""

import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
GUARD = 60  # seconds; nothing here takes more than a few


def run(*arguments, stdin="", env=None, **options):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, timeout=GUARD, check=False,
                          env={**os.environ, **(env or {})}, **options)


class ProgramCase(unittest.TestCase):
    def succeeds(self, *arguments, **options):
        """Runs the program, which has to succeed; its stdout."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, code, *arguments, **options):
        """Runs the program, which has to fail with this code; its stderr."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr
