#!/usr/bin/env python3
"""hostile_test.py PROGRAM: the lanyard program with servers that are broken or malicious."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program_case import GUARD, PROGRAM, ProgramCase

SERVER = str(pathlib.Path(__file__).with_name("hostile_server.py"))


def run(*arguments, case, modern=False):
    """Runs the program with the server. Bytes, since text mode would translate a lone \\r."""
    server = [sys.executable, SERVER, case, *(["modern"] if modern else [])]
    done = subprocess.run([PROGRAM, *arguments, "--", *server], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=GUARD, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class HostileTest(ProgramCase):
    def test_escapes_never_reach_the_terminal(self):
        for arguments, case in ((("list",), "escapes"), (("list", "--json"), "escapes"), (("call", "tool"), "escapes"),
                                (("call", "tool", "--json"), "escapes"), (("call", "tool", "nmae=1"), "escapes"),
                                (("call", "tool"), "tool-error"), (("call", "tool", "--json"), "tool-error"),
                                (("call", "tool", "-v"), "escapes"), (("validate",), "escapes"),
                                (("call", "tool", "--json"), "escapes-in-result")):
            with self.subTest(arguments=arguments, case=case):
                _, out, err = run(*arguments, case=case)
                self.assertNotEqual(out + err, "")
                self.assert_harmless(out)
                self.assert_harmless(err)

    def test_json_keeps_the_value_of_escaped_text(self):
        code, out, _ = run("call", "tool", "--json", case="escapes-in-result")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(out)["content"][0]["text"], "\x1b]0;title\x07\x1b[2J\u009b31m\u202e\rX")

    def test_a_schema_that_refers_to_itself_does_no_harm(self):
        for case in ("recursive", "exponential"):
            for command in (["call", "tool", "x=1"], ["call", "tool", "x=1", "--no-check"], ["list"]):
                with self.subTest(case=case, command=command):
                    code, _, err = run(*command, case=case)
                    self.assertIn(code, (0, 1), err)
        code, out, _ = run("call", "tool", "x=1", case="exponential")
        self.assertEqual((code, out), (0, '{"x": 1}\n'))

    def test_a_method_that_is_unknown_to_the_server_means_an_empty_list(self):
        code, out, err = run("list", case="plain")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("x://a", out)
        self.assertIn("prompt", out)
        code, out, _ = run("list", "--json", case="plain")
        self.assertEqual(sorted(json.loads(out)), ["prompts", "resourceTemplates", "resources", "tools"])
        code, _, err = run("list", "templates", case="plain")
        self.assertEqual(code, 6)
        self.assertIn("-32601", err)

    def test_a_list_that_fails_does_not_hide_the_others(self):
        code, out, err = run("list", case="failing-list")
        self.assertEqual(code, 6)
        self.assertIn("the database is down", err)
        self.assertIn("tool", out)
        self.assertIn("prompt", out)
        code, out, err = run("list", "--json", case="failing-list")
        self.assertEqual(code, 6)
        self.assertEqual(len(json.loads(out)["tools"]), 1)
        self.assertEqual(json.loads(err)["error"]["code"], -32603)

    def test_required_arguments_with_a_default_are_filled_in(self):
        code, out, err = run("call", "tool", case="defaults")
        self.assertEqual((code, out), (0, '{"scale": "css"}\n'), err)

    def test_only_questions_that_can_be_answered_are_declared(self):
        _, out, _ = run("call", "tool", case="capabilities")
        self.assertNotIn("elicitation", json.loads(out))
        self.assertNotIn("sampling", json.loads(out))
        _, out, _ = run("call", "tool", "--accept", "--model-answer", "x", case="capabilities")
        self.assertIn("elicitation", json.loads(out))
        self.assertIn("sampling", json.loads(out))

    def test_validate_finds_violations(self):
        for case, name in (("any-revision", "answers an unknown revision with one it supports"),
                           ("no-ping", "answers ping"), ("wrong-code", "refuses an unknown method with -32601"),
                           ("failing-list", "lists the declared features"),
                           ("changed-ids", "answers with the id of the request"),
                           ("loses-one-of-many", "answers every request of a burst"),
                           ("prints", "supports a known revision of the protocol")):
            with self.subTest(case=case):
                code, failed = self.validated("failed", case)
                self.assertEqual(code, 6)
                self.assertIn(name, failed)
                # A check that fails says nothing about the others; but without ping no request is answered.
                if case != "no-ping":
                    self.assertEqual(failed, [name])

    def validated(self, verdict, case, modern=False):
        """Validates the server; returns the exit code and the names of the checks with the verdict."""
        code, out, err = run("validate", "--json", "--timeout", "5", case=case, modern=modern)
        self.assertNotEqual(out, "", err)
        return code, [check["name"] for check in json.loads(out)["checks"] if check["verdict"] == verdict]

    def test_validate_finds_violations_of_2026_07_28(self):
        for case, name in (("any-revision", "refuses an unknown revision with -32022"),
                           ("wrong-code-for-revisions", "refuses an unknown revision with -32022"),
                           ("no-revisions", "answers server/discover"),
                           ("failing-list", "lists the declared features"),
                           ("changed-ids", "answers with the id of the request"),
                           ("wrong-code", "refuses an unknown method with -32601"),
                           ("loses-one-of-many", "answers every request of a burst")):
            with self.subTest(case=case):
                self.assertEqual(self.validated("failed", case, modern=True), (6, [name]))

    def test_validate_warns_of_a_server_that_cannot_be_connected_to_again(self):
        for modern in (False, True):
            with self.subTest(modern=modern), tempfile.TemporaryDirectory() as folder:
                def case(name, most, folder=folder):
                    return f"few-starts:{folder}/{name}:{most}"
                _, before = self.validated("warning", case("all", 1000), modern)
                starts = len(pathlib.Path(folder, "all").read_text())
                # The last check opens three connections, and the last of them fails.
                code, after = self.validated("warning", case("few", starts - 1), modern)
                self.assertEqual((code, set(after) - set(before)), (0, {"ends a connection and opens another"}))

    def test_validate_warns_of_recommendations(self):
        # The server exits when it receives a line that is not JSON.
        code, out, _ = run("validate", "--timeout", "5", case="plain")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^warning +SHOULD +2025-11-25  continues after a line that is not JSON")
        self.assertIn(" 0 failed, 1 warnings, ", out)


if __name__ == "__main__":
    unittest.main()
