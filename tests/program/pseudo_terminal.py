"""A pseudo-terminal of a chosen width that runs the lanyard program, and the screen that its output makes."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

from program_case import GUARD, PROGRAM


class Terminal:
    """Runs the program on its own pseudo-terminal."""

    def __init__(self, *arguments, columns=80, stderr=None, term="xterm"):
        self.columns = columns
        self.output = b""
        self.everything = b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = term
            set_size(0, columns)
            if stderr is not None:
                os.dup2(stderr, 2)
            os.execv(PROGRAM, [PROGRAM, *arguments])

    def resize(self, columns):
        set_size(self.terminal, columns)
        self.columns = columns

    def wait_for(self, pattern):
        """Reads until the pattern appears in the output after the last match."""
        end = time.monotonic() + GUARD
        while time.monotonic() < end:
            match = re.search(pattern.encode(), self.output)
            if match:
                self.output = self.output[match.end():]
                return match
            if not self._read(end):
                break
        raise AssertionError(f"no {pattern!r} in {self.output!r}")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def exit_code(self):
        end = time.monotonic() + GUARD
        while self._read(end):
            pass
        _, status = os.waitpid(self.process, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)

    def screen(self):
        """The lines that a user sees after all output so far."""
        return screen(self.everything.decode(), self.columns)

    def _read(self, end):
        ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            os.kill(self.process, signal.SIGKILL)
            raise AssertionError(f"no end of {self.output!r}")
        try:
            more = os.read(self.terminal, 4096)
        except OSError:
            return False
        self.output += more
        self.everything += more
        return bool(more)


def set_size(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def width(text):
    """The number of columns that the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def screen(text, columns):
    """Emulates a terminal that understands line breaks, carriage returns, wrapping and "erase to the end of the line"."""
    lines = [""]
    at = 0
    for token in re.findall(r"\x1b\[K|.", text, re.DOTALL):
        if token == "\n":
            lines.append("")
            at = 0
        elif token == "\r":
            at = 0
        elif token == "\x1b[K":
            lines[-1] = lines[-1][:at]
        elif token >= " ":
            if width(lines[-1][:at] + token) > columns:
                lines.append("")
                at = 0
            lines[-1] = lines[-1][:at] + token + lines[-1][at + 1:]
            at += 1
        else:
            raise AssertionError(f"unexpected control character in {text!r}")
    return lines
