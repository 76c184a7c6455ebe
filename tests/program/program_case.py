"""Shared code of the tests of the lanyard program: running it, and checking its result."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
GUARD = 60  # seconds; nothing here takes more than a few
# Control characters: C0 (except line breaks and tabs), C1, DEL, line breaks of Unicode and those that reorder text.
FORBIDDEN = [chr(code) for code in
             [*(c for c in range(0x20) if c not in (9, 10)), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, 0x2028, 0x2029,
              *range(0x202A, 0x202F), *range(0x2066, 0x206A)]]


def run(*arguments, stdin="", env=None, **options):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, timeout=GUARD, check=False,
                          env={**os.environ, **(env or {})}, **options)


class ProgramCase(unittest.TestCase):
    def succeeds(self, *arguments, **options):
        """Runs the program, which has to succeed; returns its stdout."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, code, *arguments, **options):
        """Runs the program, which has to fail with this code; returns its stderr."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def assert_harmless(self, text):
        found = [hex(ord(each)) for each in FORBIDDEN if each in text]
        self.assertEqual(found, [], repr(text))

    def talks_to_the_demo(self, url, *options):
        """Runs every command with the demonstration server at the URL, in both eras."""
        for era in (["--era", "legacy", *options], ["--era", "modern", *options], [*options]):
            self.assertRegex(self.succeeds("list", url, "tools", *era), r"(?m)^add +a:number b:number")
            self.assertRegex(self.succeeds("info", url, *era), r"^lanyard-demo \d")
            self.assertRegex(self.succeeds("ping", url, *era), r"^answered in [0-9.e-]+ ms\n$")
            self.assertIn("  b: number, required\n", self.succeeds("describe", url, "add", *era))
            self.assertEqual(self.succeeds("shell", url, *era, stdin="call increment by=0\ncall echo text=hi\n")[-3:], "hi\n")
            result = json.loads(self.succeeds("call", url, "add", "a=40", "b=2", "--json", *era))
            self.assertEqual(result["structuredContent"], {"sum": 42})
            self.assertEqual("resultType" in result, "legacy" not in era)
            self.assertEqual(self.succeeds("call", url, "count_down", "from=3", "delay_ms=5", *era),
                             "counted down from 3\n")
            self.assertIn("for 4 in the name of Ada",
                          self.succeeds("call", url, "book_table", "--answer", "name=Ada", "--answer", "guests=4", *era))
            self.assertEqual(self.succeeds("read", url, "demo://greeting/Ada", *era), "Hello, Ada!\n")
            self.assertIn("Review this C++", self.succeeds("prompt", url, "review", "language=cpp", "code=x", *era))
            self.assertEqual(self.succeeds("complete", url, "review", "language=c", *era), "c\ncpp\n")
            self.assertIn("did you mean 'echo'?", self.fails(1, "call", url, "ehco", *era))
            self.assertIn("always fails", self.fails(5, "call", url, "fail", *era))
