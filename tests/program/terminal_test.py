#!/usr/bin/env python3
"""terminal_test.py PROGRAM: the lanyard program on terminals of several widths, and without one: forms, progress, tables
and Ctrl-C."""

import os
import unittest

from program_case import PROGRAM, ProgramCase, run
from pseudo_terminal import Terminal, width

DEMO = ["--", PROGRAM, "serve", "--demo"]
WIDTHS = (40, 80, 200)


class QuestionTest(ProgramCase):
    def test_asks_for_the_fields_of_a_form(self):
        for era, columns in zip(("legacy", "modern", "modern"), WIDTHS):
            terminal = Terminal("call", "book_table", "--era", era, *DEMO, columns=columns)
            terminal.wait_for(r"The server asks: Who comes, and how many\?")
            terminal.wait_for(r"(?m)^  In whose name\r\n")
            terminal.wait_for(r"name \(text, at least 1 characters\): ")
            terminal.type("Ada\n")
            terminal.wait_for(r"(?m)^  How many come\r\n")
            terminal.wait_for(r"guests \(a whole number, 1 to 8; Enter for 2\): ")
            terminal.type("many\n")
            terminal.wait_for("guests must be a whole number, 1 to 8, got 'many'")
            terminal.wait_for(r"guests \(")
            terminal.type("5\n")
            terminal.wait_for(r"area \(one of: inside \(Inside\), terrace \(On the terrace\); Enter for inside\): ")
            terminal.type("terrace\n")
            terminal.wait_for(r"vegetarian \(yes or no; Enter for no\): ")
            terminal.type("\n")
            terminal.wait_for("a table for 5 in the name of Ada, on the terrace")
            self.assertEqual(terminal.exit_code(), 0)

    def test_the_terminal_stays_blocking_while_it_asks(self):
        terminal = Terminal("call", "book_table", *DEMO)
        terminal.wait_for(r"name \(")
        with open(f"/proc/{terminal.process}/fdinfo/0") as file:
            flags = next(line for line in file if line.startswith("flags:"))
        self.assertEqual(int(flags.split()[1], 8) & os.O_NONBLOCK, 0)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_code(), 0)

    def test_declines_at_the_end_of_input(self):
        terminal = Terminal("call", "book_table", *DEMO)
        terminal.wait_for(r"name \(")
        terminal.type("\x04")
        terminal.wait_for("the user chose to decline")
        self.assertEqual(terminal.exit_code(), 0)

    def test_asks_before_a_page_is_opened(self):
        for answer, outcome in (("yes", "the user agreed"), ("no", "the user did not agree")):
            terminal = Terminal("call", "open_page", *DEMO)
            terminal.wait_for("Page: https://example.com/confirm")
            terminal.wait_for(r"Agree\? \(yes or no\): ")
            terminal.type(answer + "\n")
            terminal.wait_for(outcome)
            self.assertEqual(terminal.exit_code(), 0)

    def test_lets_the_user_be_the_model(self):
        terminal = Terminal("call", "ask_model", "question=six times seven", *DEMO)
        terminal.wait_for("user: six times seven")
        terminal.wait_for(r"Your answer in its place \(Ctrl-D declines\): ")
        terminal.type("42\n")
        terminal.wait_for("lanyard-user says: 42")
        self.assertEqual(terminal.exit_code(), 0)

    def test_is_stopped_while_it_asks(self):
        terminal = Terminal("call", "book_table", *DEMO)
        terminal.wait_for(r"name \(")
        terminal.type("\x03")
        self.assertEqual(terminal.exit_code(), 130)


class ProgressTest(ProgramCase):
    def test_the_bar_gives_way_to_the_result(self):
        for columns in (10, *WIDTHS):
            for era in ("legacy", "modern"):
                with self.subTest(columns=columns, era=era):
                    terminal = Terminal("call", "count_down", "from=4", "delay_ms=100", "--era", era, *DEMO,
                                        columns=columns)
                    terminal.wait_for(r"\[#+-+\] 50 % 2 to go" if columns >= 40 else "50 % 2")
                    self.assertEqual(terminal.exit_code(), 0)
                    text = "counted down from 4"
                    self.assertEqual(terminal.screen(), [text[i:i + columns] for i in range(0, len(text), columns)] + [""])

    def test_the_bar_follows_the_width(self):
        terminal = Terminal("call", "count_down", "from=1000", "delay_ms=100", *DEMO, columns=200)
        terminal.wait_for("999 to go")
        terminal.resize(10)
        for _ in range(5):
            terminal.wait_for(r"\x1b\[K")
        drawn = terminal.wait_for(r"\x1b\[K([^\x1b]+)\r\x1b\[K")
        self.assertLess(width(drawn[1].decode()), 10)
        terminal.type("\x03")
        self.assertEqual(terminal.exit_code(), 130)

    def test_control_c_leaves_no_bar(self):
        for columns in WIDTHS:
            for era in ("legacy", "modern"):
                with self.subTest(columns=columns, era=era):
                    terminal = Terminal("call", "count_down", "from=1000", "delay_ms=100", "--era", era, *DEMO,
                                        columns=columns)
                    terminal.wait_for("999 to go")
                    terminal.type("\x03")
                    terminal.wait_for("interrupted")
                    self.assertEqual(terminal.exit_code(), 130)
                    # The terminal itself echoes Ctrl-C at the cursor, which is in the line of the bar.
                    self.assertEqual(terminal.screen(), ["lanyard: interrupted", ""])

    def test_there_is_no_bar_without_a_terminal(self):
        done = run("call", "count_down", "from=3", "delay_ms=5", *DEMO)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "counted down from 3\n", ""))
        reading, writing = os.pipe()
        terminal = Terminal("call", "count_down", "from=3", "delay_ms=5", *DEMO, stderr=writing)
        os.close(writing)
        self.assertEqual(terminal.exit_code(), 0)
        self.assertEqual(terminal.screen(), ["counted down from 3", ""])
        self.assertEqual(os.read(reading, 100), b"")
        os.close(reading)


class TableTest(ProgramCase):
    def lines(self, columns, *arguments):
        terminal = Terminal(*arguments, *DEMO, columns=columns)
        self.assertEqual(terminal.exit_code(), 0)
        return terminal.everything.decode().replace("\r\n", "\n").splitlines()

    def test_lines_fit_the_terminal(self):
        for columns in (20, *WIDTHS):
            with self.subTest(columns=columns):
                lines = self.lines(columns, "list")
                self.assertLessEqual(max(width(line) for line in lines), columns)
                self.assertTrue([line for line in lines if line.startswith("add")])

    def test_descriptions_fit_the_terminal(self):
        for columns in (20, *WIDTHS):
            for arguments in (("describe", "count_down"), ("describe", "fail"), ("info",)):
                with self.subTest(columns=columns, arguments=arguments):
                    lines = self.lines(columns, *arguments)
                    self.assertLessEqual(max(width(line) for line in lines), columns)
        self.assertIn("\n      Milliseconds between\n      steps", "\n".join(self.lines(30, "describe", "count_down")))

    def test_a_wide_terminal_shows_columns(self):
        for columns in (80, 200):
            text = "\n".join(self.lines(columns, "list", "tools"))
            self.assertRegex(text, r"(?m)^TOOL +ARGUMENTS +DESCRIPTION$")
            self.assertRegex(text, r"(?m)^add +a:number b:number +Add two numbers$")
        self.assertIn("…", "\n".join(self.lines(80, "list", "tools")))

    def test_a_narrow_terminal_shows_cells_below_each_other(self):
        self.assertIn("TOOL\nadd\n  a:number b:number\n  Add two numbers\n",
                      "\n".join(self.lines(40, "list", "tools")) + "\n")

    def test_nothing_is_cut_without_a_terminal(self):
        self.assertNotIn("…", self.succeeds("list", *DEMO))


if __name__ == "__main__":
    unittest.main()
