#!/usr/bin/env python3
"""sdk_server_test.py PROGRAM ERA COMMAND...: our client (the lanyard program) against a server of another SDK, which
offers what is asked for below."""

import json
import subprocess
import sys
import unittest

PROGRAM, ERA, *COMMAND = sys.argv[1:]


class PeerTest(unittest.TestCase):
    def lanyard(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments, "--era", ERA, "--", *COMMAND], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_lists(self):
        everything = json.loads(self.lanyard("list", "--json"))
        self.assertLessEqual({"echo", "add", "count_down", "fail", "ask_user"},
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

    def test_answers_the_user_s_part(self):
        self.assertEqual(self.lanyard("call", "ask_user", "--answer", "name=Ada"), "Hello, Ada!\n")

    def test_answers_the_model_s_part(self):
        if "ask_model" not in self.lanyard("list", "tools"):
            self.skipTest("this SDK's server does not ask models")
        self.assertEqual(self.lanyard("call", "ask_model", "--model-answer", "42"), "the model says 42\n")

    def test_reads_resources(self):
        self.assertEqual(self.lanyard("read", "peer://text"), "some text\n")
        self.assertEqual(self.lanyard("read", "peer://item/7"), "item 7\n")
        self.lanyard("read", "peer://nothing", code=6)

    def test_gets_prompts(self):
        self.assertEqual(self.lanyard("prompt", "greet", "name=Ada"), "user:\nSay hello to Ada\n")

    def test_completes(self):
        self.assertEqual(self.lanyard("complete", "greet", "name=A"), "Ada\nAlan\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
