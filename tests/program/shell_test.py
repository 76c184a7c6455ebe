#!/usr/bin/env python3
"""shell_test.py PROGRAM: `lanyard shell`, with a pipe as its input and on terminals of several widths."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest
import unittest.mock

from program_case import GUARD, PROGRAM, ProgramCase, run
from pseudo_terminal import Terminal

DEMO = ["--", PROGRAM, "serve", "--demo"]
LOG_SERVER = str(pathlib.Path(__file__).with_name("log_server.py"))
QUESTION_SERVER = str(pathlib.Path(__file__).with_name("question_server.py"))
CRASH_SERVER = str(pathlib.Path(__file__).with_name("crash_server.py"))
ERAS = (["--era", "legacy"], ["--era", "modern"])
PROMPT = "lanyard> "
TAB = "\t"


class PipeTest(ProgramCase):
    def test_runs_every_command_over_one_connection(self):
        for era in ERAS:
            done = run("shell", *era, *DEMO, stdin="""
                # a comment
                list prompts
                describe echo
                info
                call increment
                call increment by=2
                call echo text='two words'
                call echo {"text": "as JSON"}
                read demo://counter
                prompt review language=rust code=x
                complete review language=c
                ping
                log error
                help
                help call
                exit
                call echo text=never
                """)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"(?m)^review +language code \[focus\] +Review some code$")
            self.assertIn("  text: string, required\n      What to say\n", done.stdout)
            self.assertIn("lanyard-demo ", done.stdout)
            self.assertIn('{"value":1}\n{"value":3}\ntwo words\nas JSON\n{"value":3}\n', done.stdout)
            self.assertIn("user:\nReview this Rust code:\n\nx\nc\ncpp\nanswered in ", done.stdout)
            self.assertRegex(done.stdout, r"(?m)^call TOOL \[ARGUMENT\.\.\.\] +Call a tool$")
            self.assertIn("--no-check", done.stdout)
            self.assertNotIn("never", done.stdout)
            self.assertNotIn(PROMPT, done.stdout)

    def test_ends_with_the_code_of_the_last_failure(self):
        done = run("shell", *DEMO, stdin="call fail\ncall ehco\ncall echo text=still\n")
        self.assertEqual((done.returncode, done.stdout), (1, "still\n"))
        self.assertIn("this tool always fails", done.stderr)
        self.assertIn("did you mean 'echo'?", done.stderr)
        self.assertEqual(run("shell", *DEMO, stdin="call ehco\ncall fail").returncode, 5)
        self.assertEqual(run("shell", *DEMO, stdin="").returncode, 0)

    def test_explains_mistakes(self):
        for line, message in (
            ("lits", "there is no command 'lits'; did you mean 'list'?"),
            ("call", "too few words: call TOOL [ARGUMENT...]"),
            ("ping now", "too many words: ping"),
            ("call echo --jsn", "call has no option '--jsn'; did you mean '--json'?"),
            ("read --no-check x", "read has no option '--no-check'"),
            ("call echo -", "write @FILE instead of -"),
            ("list tool", "there is no list 'tool'; did you mean 'tools'?"),
            ("log eror", "there is no log level 'eror'; did you mean 'error'?"),
            ("help cal", "there is no command 'cal'; did you mean 'call'?"),
            ("call echo 'text", "the ' in column 11 is not closed"),
        ):
            with self.subTest(line=line):
                done = run("shell", *DEMO, stdin=line + "\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)

    def test_prints_json(self):
        done = run("shell", "--json", *DEMO, stdin="call add a=1 b=2\nping\ndescribe add\ncall ehco\n")
        added, pinged, tool = map(json.loads, done.stdout.splitlines())
        self.assertEqual(added["structuredContent"], {"sum": 3})
        self.assertGreater(pinged["milliseconds"], 0)
        self.assertEqual(tool["name"], "add")
        self.assertEqual(json.loads(done.stderr)["error"]["exit"], 1)
        done = run("shell", *DEMO, stdin="call echo text=plain\ncall add a=1 b=2 --json\n")
        self.assertEqual(json.loads(done.stdout.splitlines()[1])["structuredContent"], {"sum": 3})

    def test_saves_content(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("shell", *DEMO, stdin=f"call picture -o {folder}/a.png\nread demo://picture --output {folder}/\n")
            self.assertEqual(sorted(os.listdir(folder)), ["a.png", "picture-1.png"])

    def test_reads_a_file_and_long_input(self):
        with tempfile.TemporaryFile("w+") as file:
            file.write("call echo text=hi\n" * 3 + "call echo text=" + "x" * 100_000)
            file.seek(0)
            done = subprocess.run([PROGRAM, "shell", *DEMO], stdin=file, capture_output=True, text=True, timeout=GUARD,
                                  check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "hi\n" * 3 + "x" * 100_000 + "\n"))
        with open(os.devnull) as nothing:
            done = subprocess.run([PROGRAM, "shell", *DEMO], stdin=nothing, timeout=GUARD, check=False)
        self.assertEqual(done.returncode, 0)

    def test_starts_a_crashed_server_again(self):
        done = run("shell", "--", CRASH_SERVER, "SIGSEGV", stdin="call crash\ncall crash\nlist\n")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr.count(f"{CRASH_SERVER} crashed with signal 11 (SIGSEGV)"), 2)
        self.assertIn("crash", done.stdout)

    def test_reports_that_the_server_has_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f'echo $$ > {folder}/pid; exec "$0" serve --demo'
            shell = subprocess.Popen([PROGRAM, "shell", "--", "sh", "-c", script, PROGRAM], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            shell.stdin.write("call echo text=one\n")
            shell.stdin.flush()
            self.assertEqual(shell.stdout.readline(), "one\n")
            os.kill(int(pathlib.Path(folder, "pid").read_text()), signal.SIGKILL)
            line = shell.stderr.readline()
            self.assertIn("lanyard: the connection is lost: ", line)
            self.assertIn("; the next command connects again", line)
            out, _ = shell.communicate("call echo text=two\n", timeout=GUARD)
            self.assertEqual((out, shell.returncode), ("two\n", 0))

    def test_names_its_own_options_in_advice(self):
        done = run("shell", *DEMO, stdin="call book_table\n")
        self.assertIn("answers the questions of the server (an option of 'lanyard shell')", done.stderr)

    def test_notices_that_the_output_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "shell", *DEMO], input="list\nlist\n", stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=GUARD, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "lanyard: the output cannot be written\n"))

    def test_a_signal_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for line, sign in (("call echo text=ready\n", "ready"), ("call log_everything\ncall wait seconds=600\n", "logged")):
                process = subprocess.Popen([PROGRAM, "shell", *DEMO], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.DEVNULL, text=True)
                process.stdin.write(line)
                process.stdin.flush()
                self.assertIn(sign, process.stdout.readline())
                process.send_signal(number)
                self.assertEqual(process.wait(GUARD), 130)
                process.stdin.close()
                process.stdout.close()


class TerminalCase(ProgramCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        environment = unittest.mock.patch.dict(os.environ, XDG_STATE_HOME=str(self.folder), HOME=str(self.folder))
        environment.start()
        self.addCleanup(environment.stop)

    def shell(self, *options, columns=80, command=None):
        terminal = Terminal("shell", *options, *(command or DEMO), columns=columns)
        terminal.wait_for(PROMPT)
        return terminal


class TerminalTest(TerminalCase):
    def test_runs_lines_and_ends_with_control_d(self):
        for columns in (40, 80, 200):
            for era in ERAS:
                with self.subTest(columns=columns, era=era):
                    terminal = self.shell(*era, columns=columns)
                    terminal.type("call echo text=größer\n")
                    terminal.wait_for("\r\ngrößer\r\n")
                    terminal.wait_for(PROMPT)
                    terminal.type("call ehco\n")
                    terminal.wait_for("did you mean 'echo'")
                    terminal.wait_for(PROMPT)
                    terminal.type("\x04")
                    self.assertEqual(terminal.exit_code(), 0)

    def test_control_c_ends_the_command_or_the_line_but_not_the_shell(self):
        for era in ERAS:
            terminal = self.shell(*era)
            terminal.type("call wait sec")
            terminal.wait_for("sec")
            terminal.type("\x03")
            terminal.wait_for(PROMPT)
            terminal.type("call count_down from=1000 delay_ms=100\n")
            terminal.wait_for("999 to go")
            terminal.type("\x03")
            terminal.wait_for("lanyard: interrupted")
            terminal.wait_for(PROMPT)
            terminal.type("call echo text=alive\n")
            terminal.wait_for("\r\nalive\r\n")
            terminal.wait_for(PROMPT)
            terminal.type("exit\n")
            self.assertEqual(terminal.exit_code(), 0)

    def test_control_c_ends_a_question(self):
        for era in ERAS:
            terminal = self.shell(*era)
            terminal.type("call book_table\n")
            terminal.wait_for(r"name \(text, at least 1 characters\): ")
            terminal.type("\x03")
            terminal.wait_for("lanyard: interrupted")
            terminal.wait_for(PROMPT)
            # The question does not take the next line.
            terminal.type("call echo text=alive\n")
            terminal.wait_for("\r\nalive\r\n")
            terminal.wait_for(PROMPT)
            terminal.type("call book_table\n")
            terminal.wait_for(r"name \(")
            terminal.type("Ada\n\n\n\n")
            terminal.wait_for("a table for 2 in the name of Ada")
            terminal.wait_for(PROMPT)
            terminal.type("\x04")
            self.assertEqual(terminal.exit_code(), 0)

    def test_a_question_of_a_cancelled_call_does_not_take_the_next_line(self):
        terminal = self.shell(command=["--", QUESTION_SERVER])
        terminal.type("call ask\n")
        terminal.wait_for(r"name \(text")
        terminal.type("\x03")
        terminal.wait_for("lanyard: interrupted")
        terminal.wait_for(PROMPT)
        for _ in range(2):
            terminal.type("call count\n")
            terminal.wait_for("\r\n0 accepted\r\n")
            terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)

    def test_reads_plain_lines_on_a_dumb_terminal(self):
        terminal = Terminal("shell", *DEMO, term="dumb")
        terminal.wait_for(PROMPT)
        terminal.type("call echo text=hi\n")
        terminal.wait_for("\r\nhi\r\n")
        terminal.wait_for(PROMPT)
        terminal.type("call ec\x03")
        terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)

    def test_sigterm_ends_it_and_restores_the_terminal(self):
        terminal = self.shell()
        terminal.type("call ec")
        terminal.wait_for("call ec")
        os.kill(terminal.process, signal.SIGTERM)
        self.assertEqual(terminal.exit_code(), 130)

    def test_logs_are_printed_above_the_line(self):
        terminal = self.shell(command=["--", LOG_SERVER])
        terminal.type("call process\n")
        process = int(terminal.wait_for(r"process (\d+)\r\n")[1])
        terminal.wait_for(PROMPT)
        terminal.type("call pro")
        terminal.wait_for("call pro")
        os.kill(process, signal.SIGUSR1)
        terminal.wait_for("info: a late message\r\n")
        # The prompt and the typed text are shown again.
        terminal.wait_for(PROMPT + "call pro")
        terminal.type("cess\n")
        terminal.wait_for(f"process {process}\r\n")
        terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)


class EditorTest(TerminalCase):
    def setUp(self):
        super().setUp()
        if "line editing: none" in run("version").stdout:
            # In CI no test may be skipped.
            (self.fail if os.environ.get("CI") == "true" else self.skipTest)("built without libedit")

    def test_completes_words(self):
        for typed, completed, result in (
            (f"ca{TAB}ech{TAB}te{TAB}hi", "call echo text=hi", "\r\nhi\r\n"),
            (f"read demo://rea{TAB}", "read demo://readme ", "# "),
            (f"pro{TAB}rev{TAB}lang{TAB}rust cod{TAB}x", "code=x", "Review this Rust code"),
            (f"call fail way=ref{TAB}", "way=refusal ", "code 1001"),
            (f"call set_extras on=t{TAB}", "on=true ", "the extras are there"),
        ):
            with self.subTest(typed=typed):
                terminal = self.shell()
                terminal.type(typed)
                terminal.type("\n")
                terminal.wait_for(result)
                terminal.wait_for(PROMPT)
                terminal.type("\x04")
                self.assertEqual(terminal.exit_code(), 0)

    def test_lists_the_candidates(self):
        for columns in (40, 80, 200):
            terminal = self.shell(columns=columns)
            terminal.type(f"call ask_{TAB}")
            terminal.wait_for(r"ask_both +ask_model")
            terminal.wait_for(PROMPT)
            terminal.type("model question=x\n")
            terminal.wait_for("Your answer in its place")
            terminal.type("42\n")
            terminal.wait_for("says: 42")
            terminal.wait_for(PROMPT)
            terminal.type("\x04")
            self.assertEqual(terminal.exit_code(), 0)

    def test_completes_new_tools(self):
        terminal = self.shell()
        terminal.type("call set_extras on=true\n")
        terminal.wait_for("the extras are there")
        terminal.wait_for(PROMPT)
        # The notification arrives some time after the result, and counts from the next line on.
        found = None
        while not found:
            terminal.type(f"describe extr{TAB}\n")
            found = terminal.wait_for("(A tool that comes and goes)|has no tool 'extr'")[1]
            terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)

    def test_keeps_a_private_history(self):
        terminal = self.shell()
        terminal.type("call echo text=remembered\n")
        terminal.wait_for("\r\nremembered\r\n")
        terminal.wait_for(PROMPT)
        terminal.type(" call echo text=secret\n")
        terminal.wait_for("\r\nsecret\r\n")
        terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)
        file = self.folder / "lanyard" / "history"
        self.assertEqual(file.read_text(), "call echo text=remembered\n")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        terminal = self.shell()
        terminal.type("\x1b[A\n")  # the arrow up
        terminal.wait_for("\r\nremembered\r\n")
        terminal.wait_for(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)


if __name__ == "__main__":
    unittest.main()
