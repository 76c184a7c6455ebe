#!/usr/bin/env python3
"""documents_test.py PROGRAM: the completions and the manual pages that the program writes. They have to agree with
`lanyard help`."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program_case import GUARD, ProgramCase

# Sets up the variables that bash passes to a completion function, and prints the candidates.
COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_lanyard
printf '%s\\n' "${COMPREPLY[@]}"
"""


class ShellCase(ProgramCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def commands(self):
        """The commands that `lanyard help` lists."""
        listed = self.succeeds("help").split("\nSubcommands:\n")[1].split("\n\n")[0]
        return re.findall(r"(?m)^  ([a-z-]+) ", listed)

    def options(self, *command):
        """The options that the help of a command lists."""
        listed = self.succeeds("help", *command).split("\nOptions:\n")[1].split("\n\n")[0]
        return [name for names in re.findall(r"(?m)^  (-\S+)", listed) for name in names.split(",")]

    def tool(self, name):
        """The path of a tool. Without it, the test is skipped; in CI it fails."""
        path = shutil.which(name)
        if not path and os.environ.get("CI") == "true":
            self.fail(f"{name} is not installed")
        if not path:
            self.skipTest(f"{name} is not installed")
        return path

    def run_tool(self, *command, **options):
        return subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False, **options)


class CompletionTest(ShellCase):
    def script(self, shell):
        file = self.folder / shell
        file.write_text(self.succeeds("completion", shell))
        return file

    def complete(self, *words):
        """The candidates of bash for the last word."""
        done = self.run_tool("bash", "--norc", "-c", COMPLETE, "bash", self.script("bash"), "lanyard", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_offers_the_commands_and_options_that_the_help_lists(self):
        self.assertEqual(self.complete(""), self.commands())
        self.assertEqual(self.complete("val"), ["validate"])
        self.assertEqual(self.complete("--v"), ["--version"])
        for command in self.commands():
            self.assertEqual(self.complete(command, "-"), self.options(command), command)
        self.assertEqual(self.complete("call", "--e"), ["--era"])

    def test_bash_offers_the_choices_of_an_option(self):
        self.assertEqual(self.complete("call", "--era", ""), ["auto", "legacy", "modern"])
        self.assertEqual(self.complete("list", "--json", "--era", "mo"), ["modern"])
        self.assertEqual(self.complete("call", "--era", "=", "le"), ["legacy"])
        self.assertEqual(self.complete("call", "--era", "="), ["auto", "legacy", "modern"])
        self.assertIn("warning", self.complete("call", "--log-level", ""))

    def test_bash_offers_files_if_an_option_has_no_choices(self):
        # The shell completes file names if the function returns nothing.
        self.assertIn("-o default", self.script("bash").read_text())
        self.assertEqual(self.complete("call", "--config", ""), [])
        self.assertEqual(self.complete("call", "add", ""), [])

    def test_bash_offers_the_choices_of_a_word(self):
        self.assertEqual(self.complete("help", ""), self.commands())
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])

    def test_bash_completes_the_command_line_of_a_server(self):
        self.assertIn("bash", self.complete("call", "add", "--", "bas"))
        self.assertEqual(self.complete("call", "add", "--", "lanyard", "--"), [])

    def test_zsh_and_fish_have_every_command_and_option(self):
        zsh, fish = (self.script(shell).read_text() for shell in ("zsh", "fish"))
        for command in self.commands():
            self.assertRegex(zsh, rf"(?m)^            '{command}:\w")
            self.assertRegex(fish, rf"(?m)^complete -c lanyard -n __lanyard_command -f -a {command} -d '\w")
            branch = re.search(rf"(?ms)^        {command}\)$(.*?);;$", zsh)[1]
            lines = "\n".join(re.findall(rf"(?m)^complete -c lanyard -n '__lanyard_command {command}' .*", fish))
            for option in self.options(command):
                self.assertRegex(branch, rf"[)*]{option}[=+]?\[")
                flag = f"-l {option[2:]} " if option.startswith("--") else f"-s {option[1:]} "
                self.assertIn(flag, lines)
        self.assertIn("--era=[Protocol era\\: auto, legacy or modern]:value:(auto legacy modern)'", zsh)
        self.assertIn("-l era -x -a 'auto legacy modern'", fish)

    def test_the_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell=shell):
                done = self.run_tool(self.tool(shell), "-n", self.script(shell))
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("bash", self.fails(1, "completion", "tcsh"))
        self.fails(1, "completion")


class ManualTest(ShellCase):
    def pages(self):
        self.succeeds("help", "--man-pages", str(self.folder / "man" / "man1"))
        return self.folder / "man" / "man1"

    def rendered(self, page):
        """The text of a page, which troff has to accept without a warning."""
        done = self.run_tool(self.tool("groff"), "-ww", "-man", "-Tutf8", "-P-c", page)
        self.assertEqual((done.returncode, done.stderr), (0, ""), page)
        return re.sub(r".\x08", "", done.stdout)

    def test_there_is_a_page_for_the_program_and_for_each_command(self):
        expected = {"lanyard.1"} | {f"lanyard-{command}.1" for command in self.commands()}
        self.assertEqual({path.name for path in self.pages().iterdir()}, expected)

    def test_the_pages_have_every_command_and_option(self):
        pages = self.pages()
        text = self.rendered(pages / "lanyard.1")
        self.assertRegex(text, r"(?m)^ +lanyard - Toolbox for the Model Context Protocol$")
        self.assertIn("4 unreachable", text)
        for command in self.commands():
            self.assertRegex(text, rf"(?m)^ +lanyard-{command}\(1\)$")
            page = self.rendered(pages / f"lanyard-{command}.1")
            self.assertRegex(page, rf"(?m)^ +lanyard-{command} - \w")
            for option in self.options(command):
                self.assertRegex(page, rf"(?m)^ +(-\w, )?{option}(,|\b)")

    def test_a_page_repeats_the_help_of_its_command(self):
        page = self.rendered(self.pages() / "lanyard-call.1")
        self.assertRegex(page, r"lanyard call \[OPTION\.\.\.\] \[TARGET\] TOOL \[ARGUMENT\.\.\.\] \[-- COMMAND\.\.\.\]")
        self.assertRegex(page, r"Seconds\s+to\s+wait\s+for\s+an\s+answer;[^.]+\.\s+Default:\s+30\.")
        self.assertRegex(page, r"One of: auto, legacy,\s+modern\.")
        self.assertIn("Needs --client-key.", page)
        # Typed as in the help, with characters that troff would replace otherwise.
        self.assertRegex(page, r"""(?m)^ +lanyard call weather forecast '{"city": "Oslo"}' --json$""")
        self.assertRegex(self.rendered(self.pages() / "lanyard-serve.1"), r"Not\s+with\s+--framing, --stdio\.")

    def test_a_folder_that_cannot_be_written_is_reported(self):
        self.assertIn("/dev/null/man", self.fails(1, "help", "--man-pages", "/dev/null/man"))
        (self.folder / "lanyard.1").mkdir()
        self.assertIn("cannot write", self.fails(1, "help", "--man-pages", str(self.folder)))
        self.assertIn("cannot create", self.fails(1, "help", "--man-pages", ""))
        self.fails(1, "help", "call", "--man-pages", str(self.folder))


if __name__ == "__main__":
    unittest.main()
