#!/usr/bin/env python3
"""subscribe_test.py PROGRAM: `lanyard subscribe` in both eras, over stdio and HTTP, on a terminal and without one."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

from program_case import GUARD, PROGRAM, ProgramCase
from pseudo_terminal import Terminal

COUNTER = "demo://counter"
README = "demo://readme"
CRASH_SERVER = str(pathlib.Path(__file__).with_name("crash_server.py"))


class SubscribeTest(ProgramCase):
    @contextlib.contextmanager
    def server(self, *options):
        """Starts the demonstration server; yields (process, URL)."""
        server = subprocess.Popen([PROGRAM, "serve", "--demo", *(options or ("--http", "127.0.0.1:0"))],
                                  stdout=subprocess.PIPE, text=True)
        try:
            url = None
            while not url:
                line = server.stdout.readline()
                self.assertNotEqual(line, "")
                found = re.search(r"listens at (\S+)", line)
                url = found and found[1]
            yield server, url
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    @contextlib.contextmanager
    def subscriber(self, *arguments):
        """Runs `lanyard subscribe`, and waits until it has subscribed."""
        process = subprocess.Popen([PROGRAM, "subscribe", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        try:
            self.assertEqual(process.stderr.readline(), "subscribed; Ctrl-C ends\n")
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()

    def test_prints_each_change_until_a_signal(self):
        with self.server() as (_, url):
            for era in ("legacy", "modern"):
                with self.subTest(era=era), self.subscriber(url, COUNTER, "--era", era) as process:
                    for _ in range(3):
                        self.succeeds("call", url, "increment")
                        self.assertEqual(process.stdout.readline(), COUNTER + "\n")
                    process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(GUARD), 130)
                    self.assertEqual(process.stderr.read(), "lanyard: interrupted\n")

    def test_several_resources_are_watched(self):
        with self.server() as (_, url):
            for era in ("legacy", "modern"):
                with self.subTest(era=era), self.subscriber(url, README, COUNTER, "--count", "2", "--era",
                                                            era) as process:
                    for _ in range(2):
                        self.succeeds("call", url, "increment")
                        self.assertEqual(process.stdout.readline(), COUNTER + "\n")
                    self.assertEqual(process.wait(GUARD), 0)

    def test_reads_the_resource_and_ends_after_a_number_of_changes(self):
        with self.server("--tcp", "127.0.0.1:0") as (_, url):
            for era, first in (("legacy", 1), ("modern", 3)):
                with self.subscriber(url, COUNTER, "--read", "--count", "2", "--era", era) as process:
                    for value in (first, first + 1):
                        self.succeeds("call", url, "increment")
                        self.assertEqual(process.stdout.readline(), COUNTER + "\n")
                        self.assertEqual(json.loads(process.stdout.readline()), {"value": value})
                    self.assertEqual(process.wait(GUARD), 0)

    def test_prints_json(self):
        with self.server() as (_, url):
            # With --json there is no line that says that the subscription exists, so calls are repeated.
            with subprocess.Popen([PROGRAM, "subscribe", url, COUNTER, "--json", "--read", "--count", "1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                while process.poll() is None:
                    self.succeeds("call", url, "increment")
                change, contents = map(json.loads, process.stdout.read().splitlines())
                self.assertEqual(change, {"uri": COUNTER})
                self.assertEqual(contents["contents"][0]["uri"], COUNTER)
                self.assertEqual((process.returncode, process.stderr.read()), (0, ""))

    def test_a_lost_connection_is_a_failure(self):
        for kind in ("--tcp", "--http"):
            for era in ("legacy", "modern"):
                with self.subTest(kind=kind, era=era), self.server(kind, "127.0.0.1:0") as (server, url):
                    with self.subscriber(url, COUNTER, "--era", era) as process:
                        server.kill()
                        self.assertEqual(process.wait(GUARD), 4)
                        self.assertIn("lanyard: ", process.stderr.read())

    def test_a_crashed_server_is_named(self):
        with self.subscriber(COUNTER, "--era", "legacy", "--", CRASH_SERVER, "SIGABRT", "soon") as process:
            self.assertEqual(process.wait(GUARD), 4)
            self.assertIn("crashed with signal 6 (SIGABRT)", process.stderr.read())

    def test_errors_name_the_fault(self):
        demo = ["--", PROGRAM, "serve", "--demo"]
        self.assertIn("which resource?", self.fails(1, "subscribe", *demo))
        self.assertIn("--count", self.fails(1, "subscribe", COUNTER, "--count", "0", *demo))
        self.assertIn("demo://nothing", self.fails(6, "subscribe", "demo://nothing", "--era", "legacy", *demo))

    def test_ends_when_its_output_is_closed(self):
        with self.server() as (_, url), self.subscriber(url, COUNTER) as process:
            process.stdout.close()
            while process.poll() is None:
                self.succeeds("call", url, "increment")
            self.assertEqual(process.returncode, 1)
            self.assertEqual(process.stderr.read(), "lanyard: the output cannot be written\n")
            process.stdout = open(os.devnull)

    def test_control_c_ends_it(self):
        for columns in (40, 80, 200):
            terminal = Terminal("subscribe", COUNTER, "--", PROGRAM, "serve", "--demo", columns=columns)
            terminal.wait_for("subscribed; Ctrl-C ends")
            terminal.type("\x03")
            terminal.wait_for("lanyard: interrupted")
            self.assertEqual(terminal.exit_code(), 130)


if __name__ == "__main__":
    unittest.main()
