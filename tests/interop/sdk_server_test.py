#!/usr/bin/env python3
"""sdk_server_test.py PROGRAM ERA [--http] COMMAND...: our client (the lanyard program) against a server of another SDK,
which must have the features used below. With --http the server is started once, prints its URL and exits when its stdin
ends; without --http it is started for every command and uses stdin and stdout."""

import json
import subprocess
import sys
import unittest

PROGRAM, ERA, *COMMAND = sys.argv[1:]
HTTP = COMMAND[0] == "--http"
if HTTP:
    del COMMAND[0]
OPTIONS = ["--era", ERA, "--timeout", "90"]  # some servers start slowly


class PeerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not HTTP:
            return
        server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(server.wait, 30)
        cls.addClassCleanup(server.stdout.close)
        cls.addClassCleanup(server.stdin.close)
        cls.url = server.stdout.readline().strip()

    def lanyard(self, command, *arguments, code=0):
        if HTTP:
            words = [command, self.url, *arguments, *OPTIONS]
        else:
            words = [command, *arguments, *OPTIONS, "--", *COMMAND]
        done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_lists(self):
        everything = json.loads(self.lanyard("list", "--json"))
        self.assertLessEqual({"echo", "add", "count_down", "fail"},
                             {tool["name"] for tool in everything["tools"]})
        self.assertIn("peer://text", [resource["uri"] for resource in everything["resources"]])
        self.assertEqual(len(everything["resourceTemplates"]), 1)
        self.assertIn("greet", [prompt["name"] for prompt in everything["prompts"]])

    def test_calls_tools(self):
        self.assertEqual(self.lanyard("call", "echo", "text=grün 🙂"), "grün 🙂\n")
        result = json.loads(self.lanyard("call", "add", "a=1.5", "b=2", "--json"))
        self.assertEqual(result["structuredContent"], {"sum": 3.5})
        self.assertIn("on purpose", self.lanyard("call", "fail", code=5))

    def test_shows_progress(self):
        self.assertEqual(self.lanyard("call", "count_down", "start=3"), "done\n")

    def skip_without(self, tool):
        if tool not in self.lanyard("list", "tools"):
            self.skipTest(f"this server has no tool {tool}")

    def test_answers_elicitation(self):
        self.skip_without("ask_user")
        self.assertEqual(self.lanyard("call", "ask_user", "--answer", "name=Ada"), "Hello, Ada!\n")

    def test_answers_sampling(self):
        self.skip_without("ask_model")
        self.assertEqual(self.lanyard("call", "ask_model", "--model-answer", "42"), "the model says 42\n")

    def test_reads_resources(self):
        self.assertEqual(self.lanyard("read", "peer://text"), "some text\n")
        self.assertEqual(self.lanyard("read", "peer://item/7"), "item 7\n")
        self.lanyard("read", "peer://nothing", code=6)

    def test_gets_prompts(self):
        self.assertEqual(self.lanyard("prompt", "greet", "name=Ada"), "user:\nSay hello to Ada\n")

    def test_completes(self):
        self.assertEqual(self.lanyard("complete", "greet", "name=A"), "Ada\nAlan\n")


class ResultLines(unittest.TextTestResult):
    """Prints `test NAME ... ok|FAIL|skipped 'WHY'` for tools/interop, on a separate line from the server's output."""

    outcome = "ok"

    def startTest(self, test):
        super().startTest(test)
        self.outcome = "ok"

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.outcome = "FAIL"

    addError = addFailure

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcome = f"skipped '{reason}'"

    def stopTest(self, test):
        super().stopTest(test)
        print(f"test {test.id().split('.')[-1]} ... {self.outcome}", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testRunner=unittest.TextTestRunner(resultclass=ResultLines))
