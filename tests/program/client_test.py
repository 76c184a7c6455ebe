#!/usr/bin/env python3
"""client_test.py PROGRAM: the commands of the lanyard program that connect to a server, with its own
demonstration server: their output and exit codes, in both eras, without a terminal."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from program_case import GUARD, PROGRAM, ProgramCase, run

DEMO = ["--", PROGRAM, "serve", "--demo"]
ROOTS_SERVER = str(pathlib.Path(__file__).with_name("roots_server.py"))
CRASH_SERVER = str(pathlib.Path(__file__).with_name("crash_server.py"))
ERAS = ["legacy", "modern"]


class Case(ProgramCase):
    @staticmethod
    def each_era():
        for era in ERAS:
            yield ["--era", era]


class ListTest(Case):
    def test_shows_tables(self):
        for era in self.each_era():
            text = self.succeeds("list", *era, *DEMO)
            self.assertRegex(text, r"(?m)^TOOL +ARGUMENTS +DESCRIPTION$")
            self.assertRegex(text, r"(?m)^add +a:number b:number +Add two numbers$")
            self.assertRegex(text, r"(?m)^demo://readme +text/markdown +readme +What this is$")
            self.assertRegex(text, r"(?m)^demo://greeting/\{name\} ")
            self.assertRegex(text, r"(?m)^review +language code \[focus\] +Review some code$")

    def test_lists_one_kind(self):
        self.assertNotIn("TOOL", self.succeeds("list", "prompts", *DEMO))
        self.assertIn("TEMPLATE", self.succeeds("list", "templates", *DEMO))

    def test_prints_the_results_of_the_protocol_as_json(self):
        for era in self.each_era():
            tools = json.loads(self.succeeds("list", "tools", "--json", *era, *DEMO))
            self.assertIn("add", [tool["name"] for tool in tools["tools"]])
            self.assertEqual(tools.get("resultType"), "complete" if "modern" in era else None)
            everything = json.loads(self.succeeds("list", "--json", *era, *DEMO))
            self.assertEqual(sorted(everything), ["prompts", "resourceTemplates", "resources", "tools"])

    def test_prints_indented_json(self):
        text = self.succeeds("list", "--pretty", *DEMO)
        self.assertRegex(text, r'(?m)^  "tools": \[\n    \{\n      "name": ')
        self.assertEqual(json.loads(text), json.loads(self.succeeds("list", "--json", *DEMO)))
        self.assertEqual(self.succeeds("complete", "review", "language=r", "--pretty", "--era", "legacy", *DEMO),
                         '{\n  "completion": {\n    "values": [\n      "rust"\n    ]\n  }\n}\n')
        self.assertEqual(json.loads(self.fails(1, "list", "--pretty", "tool", *DEMO))["error"]["exit"], 1)

    def test_shows_the_choices_of_enumerations(self):
        self.assertRegex(self.succeeds("list", "tools", *DEMO), r"(?m)^fail +\[way:\w+\|\w+.*\] +Fail in one")

    def test_refuses_unknown_kinds(self):
        self.assertIn("there is no list 'tool'; did you mean 'tools'?", self.fails(1, "list", "tool", *DEMO))


class DescribeTest(Case):
    def test_describes_one_tool_in_full(self):
        for era in self.each_era():
            self.assertEqual(self.succeeds("describe", "add", *era, *DEMO), """add: Add
  Add two numbers

Arguments:
  a: number, required
      The first number
  b: number, required
      The second number

Structured result:
  sum: number, required
      a + b

Hints: read-only, closed world
""")
        text = self.succeeds("describe", "count_down", *DEMO)
        self.assertIn("  from: integer, optional, at least 1, at most 1000, default 3\n      Where to begin\n", text)
        self.assertIn("      - tool_error: An error for the model\n      - refusal: A refusal for the host\n",
                      self.succeeds("describe", "fail", *DEMO))

    def test_prints_the_tool_as_json(self):
        for era in self.each_era():
            tool = json.loads(self.succeeds("describe", "add", "--json", *era, *DEMO))
            tools = json.loads(self.succeeds("list", "tools", "--json", *era, *DEMO))["tools"]
            self.assertIn(tool, tools)
            self.assertEqual(tool["name"], "add")

    def test_errors_name_the_fault(self):
        self.assertIn("the server has no tool 'ad'; did you mean 'add'?", self.fails(1, "describe", "ad", *DEMO))
        self.assertIn("which tool?", self.fails(1, "describe", *DEMO))
        self.assertIn("which tool?", self.fails(1, "describe", "add", "echo", *DEMO))


class InfoTest(Case):
    def test_shows_the_name_the_capabilities_and_the_instructions(self):
        for era, revision in (("legacy", "2025-11-25"), ("modern", "2026-07-28")):
            text = self.succeeds("info", "--era", era, *DEMO)
            self.assertRegex(text, r"^lanyard-demo \d+\.\d+\.\d+: Lanyard's demonstration server\n")
            self.assertIn(f"\nProtocol revision: {revision}\n", text)
            self.assertEqual("Supported revisions: " in text, era == "modern")
            self.assertRegex(text, r"(?m)^Capabilities: tools, tools.listChanged, resources, ")
            self.assertIn("\nInstructions:\n  Each tool shows one feature of the protocol.", text)
            result = json.loads(self.succeeds("info", "--json", "--era", era, *DEMO))
            self.assertEqual(result["protocolVersion"], revision)
            self.assertEqual(result["serverInfo"]["name"], "lanyard-demo")
            self.assertIn("tools", result["capabilities"])
            self.assertIn(revision, result["supportedVersions"])
            self.assertTrue(result["instructions"].startswith("Each tool"))
        self.assertIn("'x' is one word too many", self.fails(1, "info", "x", *DEMO))


class PingTest(Case):
    def test_checks_that_the_server_answers(self):
        for era in self.each_era():
            self.assertRegex(self.succeeds("ping", *era, *DEMO), r"^answered in [0-9.]+ ms\n$")
            self.assertGreater(json.loads(self.succeeds("ping", "--json", *era, *DEMO))["milliseconds"], 0)
        self.assertIn("'x' is one word too many", self.fails(1, "ping", "x", *DEMO))

    def test_explains_wrong_values_of_options(self):
        self.assertIn("--era: there is no 'moderm'; did you mean 'modern'?",
                      self.fails(1, "ping", "--era", "moderm", *DEMO))
        self.assertIn("there are auto, legacy, modern", self.fails(1, "ping", "--era", "x", *DEMO))

    def test_ends_with_7_without_an_answer(self):
        silent = ("read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
                  "\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}'; cat >/dev/null")
        self.assertIn("--timeout", self.fails(7, "ping", "--era", "legacy", "--timeout", "0.3", "--", "sh", "-c", silent))


class CallTest(Case):
    def test_accepts_every_kind_of_argument(self):
        for era in self.each_era():
            for words in (["a=1", "b=2"], ["a:=1", "b:=2"], ['{"a": 1, "b": 2}'], ['{"a": 9}', "a=1", "b=2"]):
                out = self.succeeds("call", "add", *words, *era, "--json", *DEMO)
                self.assertEqual(json.loads(out)["structuredContent"], {"sum": 3})
        self.assertIn("3", self.succeeds("call", "add", "-", *DEMO, stdin='{"a": 1, "b": 2}'))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"text": "from a file"}')
            file.flush()
            self.assertEqual(self.succeeds("call", "echo", "@" + file.name, *DEMO), "from a file\n")
            self.assertEqual(self.succeeds("call", "echo", "text=@" + file.name, *DEMO), '{"text": "from a file"}\n')
        self.assertEqual(self.succeeds("call", "echo", "text=@@x", *DEMO), "@x\n")
        self.assertIn("the file '/no/such' cannot be read", self.fails(1, "call", "echo", "text=@/no/such", *DEMO))

    def test_converts_by_the_schema(self):
        self.assertEqual(self.succeeds("call", "echo", "text=5", *DEMO), "5\n")
        out = self.succeeds("call", "largest", "numbers=3", "numbers=9", "--json", *DEMO)
        self.assertEqual(json.loads(out)["structuredContent"], {"largest": 9})
        self.assertIn("extras are gone", self.succeeds("call", "set_extras", "on=false", *DEMO))

    def test_errors_name_the_argument(self):
        for words, message in (
            (["a=1", "b=two"], "argument 'b' must be a number, got 'two'"),
            (["a=1"], "the arguments of tool 'add': missing required property \"b\""),
            (["a=1", "c=2"], "tool 'add' has no argument 'c'; it takes a, b"),
            (["a=1", "b:=x"], "argument 'b' is not JSON"),
            (["a"], "'a' is not an argument"),
            (["@/no/such/file"], "the arguments file '/no/such/file' cannot be read"),
        ):
            self.assertIn(message, self.fails(1, "call", "add", *words, *DEMO))
        self.assertEqual(self.fails(1, "call", "fail", "way=refusl", *DEMO).count("argument 'way': must be one of"), 1)
        self.assertIn("argument 'from': must be at most 1000",
                      self.fails(1, "call", "count_down", "from=5000", *DEMO))
        # With --no-check the arguments are sent, and the server reports the error.
        self.assertIn("/from", self.fails(5, "call", "count_down", "from=5000", "--no-check", *DEMO))
        for era in self.each_era():
            done = run("call", "no_such_tool", "a=1", "--no-check", *era, *DEMO)
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertIn("the server refused", done.stderr)

    def test_suggests_the_nearest_tool(self):
        self.assertIn("the server has no tool 'ehco'; did you mean 'echo'?", self.fails(1, "call", "ehco", *DEMO))
        self.assertIn("'lanyard list' shows what there is", self.fails(1, "call", "xyzzyplugh", *DEMO))

    def test_ends_with_5_when_the_tool_fails(self):
        for era in self.each_era():
            self.assertIn("this tool always fails", self.fails(5, "call", "fail", *era, *DEMO))
            done = run("call", "fail", "--json", *era, *DEMO)
            self.assertEqual(done.returncode, 5)
            self.assertTrue(json.loads(done.stdout)["isError"])
            error = json.loads(done.stderr)["error"]
            self.assertEqual((error["kind"], error["exit"]), ("tool_error", 5))

    def test_ends_with_6_when_the_server_refuses(self):
        for era in self.each_era():
            stderr = self.fails(6, "call", "fail", "way=refusal", "--json", *era, *DEMO)
            self.assertEqual(json.loads(stderr)["error"]["code"], 1001)

    def test_ends_with_7_when_the_call_times_out(self):
        for era in self.each_era():
            stderr = self.fails(7, "call", "wait", "seconds=600", "--timeout", "0.3", *era, *DEMO)
            self.assertIn("--timeout", stderr)

    def test_saves_content_that_is_not_text(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.png"
            self.assertRegex(self.succeeds("call", "picture", "-o", str(file), *DEMO), r"^\[image/png, \d\.\d KB\]")
            self.assertTrue(file.read_bytes().startswith(b"\x89PNG"))
            self.succeeds("call", "mix", "-o", folder + "/all/", *DEMO)
            self.assertEqual(sorted(each.name for each in (pathlib.Path(folder) / "all").iterdir()),
                             ["mix-1.png", "mix-2.wav", "mix-3.md"])
            self.assertIn("give --output a folder", self.fails(1, "call", "mix", "-o", str(file), *DEMO))

    def test_shows_each_kind_of_content(self):
        out = self.succeeds("call", "mix", *DEMO)
        self.assertRegex(out, r"\[audio/wav, 2\.0 KB\]\n\[resource demo://readme, readme\]\n\[resource demo://note\]\n# A")

    def test_answers_forms_from_the_command_line(self):
        for era in self.each_era():
            self.assertEqual(self.succeeds("call", "book_table", "--answer", "name=Ada", "--answer", "guests=3",
                                           *era, *DEMO),
                             "a table for 3 in the name of Ada, inside\n")
            # Without a terminal and without answers the program does not declare elicitation.
            done = run("call", "book_table", *era, *DEMO)
            self.assertIn(done.returncode, (5, 6))
            self.assertIn("elicitation", done.stderr)
            self.assertIn("; --answer NAME=VALUE or --accept answers the questions", done.stderr)
            done = run("call", "book_table", "--answer", "name=Ada", "--answer", "guests=99", *era, *DEMO)
            self.assertEqual(done.returncode, 1)
            self.assertIn("the user chose to decline", done.stdout)
            self.assertIn("guests: must be at most 8", done.stderr)
        done = run("call", "plan_trip", "--answer", "place=Bergen", "--answer", "day=2026-12-24", "--answer", "x=1", *DEMO)
        self.assertEqual(done.stdout, "ticket 1: Bergen on 2026-12-24\n")
        self.assertEqual(done.stderr, "lanyard: the server did not ask for 'x'\n")
        self.assertIn("--answer wants name=value", self.fails(1, "call", "book_table", "--answer", "x", *DEMO))

    def test_answers_url_and_sampling_requests_from_the_command_line(self):
        for era in self.each_era():
            self.assertIn("the user agreed", self.succeeds("call", "open_page", "--accept", *era, *DEMO))
            done = run("call", "open_page", *era, *DEMO)
            self.assertIn(done.returncode, (5, 6))
            self.assertIn("elicitation", done.stderr)
            self.assertEqual(self.succeeds("call", "ask_model", "question=x", "--model-answer", "42", *era, *DEMO),
                             "lanyard-user says: 42\n")
            done = run("call", "ask_model", "question=x", *era, *DEMO)
            self.assertIn(done.returncode, (5, 6))
            self.assertIn("sampling", done.stderr)
            self.assertIn("; --model-answer TEXT answers in place of a model", done.stderr)

    def test_offers_roots(self):
        for era in self.each_era():
            self.assertIn("file:///tmp", self.succeeds("call", "list_folders", "--root", "/tmp", *era, *DEMO))
            self.assertIn("; --root FOLDER opens a folder", run("call", "list_folders", *era, *DEMO).stderr)
        self.assertEqual(self.fails(1, "call", "list_folders", "--root", "/no/such", *DEMO),
                         "lanyard: there is no folder '/no/such' to open to the server\n")

    def test_lets_a_server_read_the_folders_before_a_call(self):
        for era in ([], ["--era", "legacy"]):
            self.assertEqual(self.succeeds("call", "show", "--root", "/tmp", *era, "--", ROOTS_SERVER),
                             "roots: file:///tmp\n")
        self.assertEqual(self.succeeds("call", "show", "--root", "/tmp", "--", ROOTS_SERVER, "silent"), "roots: \n")

    def test_shows_log_messages(self):
        levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
        for era in self.each_era():
            for lowest in (None, *levels):
                done = run("call", "log_everything", *era, *(["--log-level", lowest] if lowest else []), *DEMO)
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = levels[levels.index(lowest or "info"):]
                self.assertEqual(done.stderr, "".join(f"{level}: demo: a message of level {level}\n" for level in shown))
        self.assertIn("--log-level", self.fails(1, "call", "log_everything", "--log-level", "loud", *DEMO))

    def test_shows_messages_with_verbose(self):
        done = run("call", "print", "-v", *DEMO)
        self.assertEqual(done.stdout, "printed\n")
        self.assertRegex(done.stderr, r'(?m)^--> \{"jsonrpc":"2.0".*"tools/call"')
        self.assertRegex(done.stderr, r'(?m)^<-- \{"jsonrpc":"2.0".*printed')
        self.assertIn("this line does not belong here", done.stderr)

    def test_supports_every_revision(self):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"):
            with self.subTest(version=version):
                self.assertEqual(self.succeeds("call", "echo", "text=hi", "--protocol-version", version, *DEMO), "hi\n")
        self.assertTrue(self.fails(1, "call", "echo", "--protocol-version", "x", *DEMO)
                        .startswith("lanyard: there is no protocol revision 'x'"))
        self.assertIn("revision 2025-11-25 is not of the modern era",
                      self.fails(1, "call", "echo", "--era", "modern", "--protocol-version", "2025-11-25", *DEMO))


class ReadTest(Case):
    def test_reads_resources(self):
        for era in self.each_era():
            self.assertEqual(self.succeeds("read", "demo://greeting/Ada", *era, *DEMO), "Hello, Ada!\n")
            result = json.loads(self.succeeds("read", "demo://table/orders/7", "--json", *era, *DEMO))
            self.assertEqual(json.loads(result["contents"][0]["text"])["row"], 7)
        self.assertRegex(self.succeeds("read", "demo://picture", *DEMO), r"^\[image/png, ")

    def test_saves_resources(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("read", "demo://picture", "-o", folder, *DEMO)
            self.assertTrue((pathlib.Path(folder) / "picture-1.png").read_bytes().startswith(b"\x89PNG"))

    def test_errors_name_the_missing_resource(self):
        stderr = self.fails(6, "read", "demo://nothing", "--json", *DEMO)
        self.assertEqual(json.loads(stderr)["error"]["data"]["uri"], "demo://nothing")
        self.assertIn("which resource?", self.fails(1, "read", *DEMO))


class PromptTest(Case):
    def test_gets_prompts(self):
        for era in self.each_era():
            self.assertEqual(self.succeeds("prompt", "review", "language=rust", "code=x", *era, *DEMO),
                             "user:\nReview this Rust code:\n\nx\n")
            result = json.loads(self.succeeds("prompt", "tip", "--json", *era, *DEMO))
            self.assertEqual(result["messages"][0]["role"], "user")
        self.assertIn("[image/png, ", self.succeeds("prompt", "describe_picture", *DEMO))

    def test_errors_name_the_fault(self):
        self.assertIn("prompt 'review' needs the argument 'code' (What to review)",
                      self.fails(1, "prompt", "review", "language=c", *DEMO))
        self.assertIn("did you mean 'focus'?",
                      self.fails(1, "prompt", "review", "language=c", "code=x", "focsu=y", *DEMO))
        self.assertIn("the server has no prompt 'reviw'; did you mean 'review'?", self.fails(1, "prompt", "reviw", *DEMO))
        self.assertIn("which prompt?", self.fails(1, "prompt", *DEMO))
        self.assertIn("code -32602", self.fails(6, "prompt", "review", "language=cobol", "code=x", *DEMO))


class CompleteTest(Case):
    def test_completes(self):
        for era in self.each_era():
            self.assertEqual(self.succeeds("complete", "review", "language=c", *era, *DEMO), "c\ncpp\n")
            self.assertEqual(self.succeeds("complete", "visit", "city=", "country=norway", *era, *DEMO),
                             "Bergen\nOslo\nTromsø\n")
            self.assertEqual(self.succeeds("complete", "demo://table/{table}/{row}", "table=of", *era, *DEMO), "offers\n")
            result = json.loads(self.succeeds("complete", "review", "language=r", "--json", *era, *DEMO))
            self.assertEqual(result["completion"]["values"], ["rust"])

    def test_errors_name_the_fault(self):
        self.assertIn("complete what?", self.fails(1, "complete", "review", *DEMO))
        self.assertIn("'language' is not NAME=TYPED", self.fails(1, "complete", "review", "language", *DEMO))
        self.fails(6, "complete", "nonsense", "x=", *DEMO)


class TargetTest(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.config = self.folder / ".mcp.json"
        self.config.write_text(json.dumps({"mcpServers": {
            "demo": {"command": "${DEMO_PROGRAM}", "args": ["serve", "--demo"]},
            "web": {"url": "https://example.com/mcp"},
        }}))
        self.environment = {"DEMO_PROGRAM": PROGRAM, "HOME": folder.name}
        self.environment.pop("LANYARD_CONFIG", None)

    def test_is_an_entry_of_a_configuration_file(self):
        for options in (["--config", str(self.config)], []):
            out = self.succeeds("call", "demo", "add", "a=1", "b=2", *options, env=self.environment, cwd=self.folder)
            self.assertIn("3", out)
        self.assertIn("did you mean 'demo'?",
                      self.fails(1, "list", "dem", "--config", str(self.config), env=self.environment))
        self.assertIn("no configuration file was found",
                      self.fails(1, "list", "dem", env=self.environment, cwd="/"))

    def test_an_odd_entry_does_not_hide_the_others(self):
        self.config.write_text(json.dumps({"mcpServers": {"odd": {}, "web": {"url": "https://example.com/mcp"}}}))
        done = run("list", "--config", str(self.config))
        self.assertEqual(done.returncode, 1)
        self.assertIn("server 'odd' must have either", done.stderr)
        self.assertIn("web     https://example.com/mcp\n", done.stdout)

    def test_a_forgotten_separator_is_recognized(self):
        script = self.folder / "server.py"
        script.write_text("")
        self.assertIn(f"'{script}' is a file, not the name or the URL of a server; put the server's command after --, "
                      f"as in 'lanyard list ... -- {script}'", self.fails(1, "list", str(script), "a.db"))
        self.assertIn("there is no server 'python3'", self.fails(1, "list", "python3", "x.db", cwd="/",
                                                                 env=self.environment))

    def test_a_configuration_names_its_servers(self):
        self.assertEqual(self.succeeds("list", "--config", str(self.config)),
                         "SERVER  COMMAND OR URL\ndemo    ${DEMO_PROGRAM} serve --demo\nweb     https://example.com/mcp\n")
        self.assertEqual(json.loads(self.succeeds("list", "--config", str(self.config), "--json")), {"servers": [
            {"name": "demo", "command": ["${DEMO_PROGRAM}", "serve", "--demo"]},
            {"name": "web", "url": "https://example.com/mcp"}]})
        self.assertIn("cannot be read", self.fails(1, "list", "--config", "/no/such"))

    def test_may_use_another_framing(self):
        framed = ["--framing", "content-length"]
        for era in self.each_era():
            self.assertEqual(self.succeeds("call", "echo", "text=hi", *framed, *era, *DEMO, *framed), "hi\n")
        self.assertEqual(self.succeeds("call", "echo", "text=hi", "--framing", "newline", *DEMO), "hi\n")
        self.assertIn("--framing is for servers that are started as a program",
                      self.fails(1, "list", "tcp://127.0.0.1:1", *framed))
        self.fails(1, "list", "--framing", "lines", *DEMO)
        self.fails(1, "serve", "--demo", *framed, "--http", "127.0.0.1:0")

    def test_options_are_checked(self):
        self.assertEqual(self.fails(1, "list", "--jsn", *DEMO),
                         "lanyard: lanyard list has no option '--jsn'; did you mean '--json'?\n")
        for timeout in ("0", "-1", "nan", "inf", "soon", "1e300"):
            stderr = self.fails(1, "list", "--timeout", timeout, *DEMO)
            self.assertIn("--timeout", stderr)
            self.assertLess(len(stderr), 100)

    def test_is_required(self):
        for command in ("list", "call", "read", "prompt", "complete"):
            self.assertIn("which server?", self.fails(1, command))
        self.assertIn("which tool?", self.fails(1, "call", *DEMO))
        self.assertIn("there is no program to start after --", self.fails(1, "list", "--"))
        self.assertIn("'version' starts no program", self.fails(1, "version", "--", "x"))

    def test_an_unreachable_server_is_reported(self):
        self.assertIn("cannot start /no/such/program", self.fails(4, "list", "--", "/no/such/program"))
        self.assertIn("exited with code 3", self.fails(4, "list", "--", "sh", "-c", "echo oops >&2; exit 3"))
        error = json.loads(self.fails(4, "list", "--json", "--", "/no/such/program"))["error"]
        self.assertEqual((error["kind"], error["exit"]), ("unreachable", 4))

    def test_an_unresponsive_server_is_reported(self):
        self.fails(7, "list", "--era", "legacy", "--timeout", "0.3", "--", "sleep", "600")

    def test_a_server_that_sends_garbage_is_reported(self):
        done = run("list", "--era", "legacy", "--timeout", "2", "--", "sh", "-c", "echo nonsense; cat >/dev/null")
        self.assertIn(done.returncode, (6, 7), done.stderr)


    def test_a_crash_is_named_by_signal_or_exit_code(self):
        for way, reason in (("SIGSEGV", "crashed with signal 11 (SIGSEGV)"), ("SIGABRT", "crashed with signal 6 (SIGABRT)"),
                            ("SIGKILL", "was ended by signal 9 (SIGKILL)"), ("7", "exited with code 7"),
                            ("0", "exited with code 0")):
            with self.subTest(way=way):
                stderr = self.fails(4, "call", "crash", "--era", "legacy", "--", CRASH_SERVER, way)
                self.assertEqual(stderr, "lanyard: the connection was lost before the answer came: "
                                         f"{CRASH_SERVER} {reason}; its last lines on stderr: about to end\n")


class ServeTest(Case):
    def test_needs_a_server(self):
        self.assertIn("which server?", self.fails(1, "serve"))

    def test_ends_with_its_input(self):
        self.assertEqual(self.succeeds("serve", "--demo", "--stdio"), "")


class SignalTest(Case):
    def test_leaves_no_process_behind(self):
        with tempfile.NamedTemporaryFile() as file:
            command = f"echo $$ > {file.name}; exec {PROGRAM} serve --demo"
            program = subprocess.Popen([PROGRAM, "call", "wait", "seconds=600", "-v", "--", "sh", "-c", command],
                                       stderr=subprocess.PIPE, text=True)
            for line in program.stderr:
                if '"tools/call"' in line:
                    break
            program.send_signal(signal.SIGTERM)
            rest = program.stderr.read()
            program.stderr.close()
            self.assertEqual(program.wait(GUARD), 130)
            self.assertIn("notifications/cancelled", rest)
            child = int(file.read())
            self.assertRaises(ProcessLookupError, os.kill, child, 0)


if __name__ == "__main__":
    unittest.main()
