#!/usr/bin/env python3
"""escapes_test.py PROGRAM: characters of a server that could control the terminal never reach it."""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import pty
import select
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
import unittest.mock

from program_case import FORBIDDEN, GUARD, PROGRAM, ProgramCase
from pseudo_terminal import Terminal

SERVER = [sys.executable, str(pathlib.Path(__file__).with_name("escapes_server.py"))]
ESCAPES = "\x1b]0;t\x07\x9b31m\r"
ERASE = "\r\x1b[K"  # what the program itself writes to erase its progress bar


def on_terminal(*command, typed=()):
    """Runs the command on a terminal without line editing; returns the exit code and all output.

    `typed` holds pairs: a text to wait for in the output, and the line to type then."""
    terminal, other = pty.openpty()
    settings = termios.tcgetattr(other)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(other, termios.TCSANOW, settings)
    process = subprocess.Popen(command, stdin=other if typed else subprocess.DEVNULL, stdout=other, stderr=other,
                               env={**os.environ, "TERM": "dumb"})
    os.close(other)
    output = b""
    seen = 0
    typed = list(typed)
    end = time.monotonic() + GUARD
    with contextlib.suppress(OSError):  # a terminal that is closed by the program ends with EIO
        while select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            output += os.read(terminal, 65536)
            if typed and typed[0][0].encode() in output[seen:]:
                seen = output.index(typed[0][0].encode(), seen) + len(typed[0][0].encode())
                os.write(terminal, typed.pop(0)[1].encode() + b"\n")
        process.kill()
    code = process.wait(GUARD)
    os.close(terminal)
    return code, output.decode()


def through_pipes(*command, stdin=""):
    """Runs the command; returns its exit code and its output. Bytes, since text mode would translate a lone \\r."""
    done = subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=GUARD, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class EscapesCase(ProgramCase):
    def assert_harmless(self, text, *places):
        """The text holds what the server sent for these places, and no dangerous character."""
        super().assert_harmless(text.replace(ERASE, ""))
        for place in places:
            self.assertIn(f"<{place}>", text)


class StdioTest(EscapesCase):
    # Each command, its exit code and places whose text it prints, as text and as JSON.
    COMMANDS = (
        (["list"], 0, "tool|argument|tool description|uri|resource title|template|prompt argument", "choice title"),
        (["describe", "plain"], 0, "type|argument description|default|choice|const|choice title", "argument title"),
        (["info"], 0, "server|version|server title|server description|website|capability|instructions", "website"),
        (["call", "plain"], 0, "result|image type|audio type|uri|resource name|contents|blob type|unknown content|log|"
         "logger|log key|log value", "member|value|kind"),
        (["call", "plain", "-v"], 0, "result|stderr|instructions", "result|stderr"),
        (["call", "plain", "-o", "FOLDER/"], 0, "log", "result"),
        (["call", "plain", "--pretty"], 0, "member|value|kind", "member"),
        (["call", "fails"], 5, "result", "result|unknown content"),
        (["call", "refuses"], 6, "error", "error|data key|data"),
        (["call", "strict"], 1, "needed", "needed"),
        (["call", "plain", "--log-level", "debug"], 0, "logger", "logger"),
        (["read", "x://a"], 0, "contents|blob type", "uri|text type"),
        (["prompt", "prompt"], 0, "result|uri", "prompt result|link title"),
        (["prompt", "strict"], 1, "prompt argument", "prompt argument"),
        (["complete", "prompt", "a=b"], 0, "completion", "completion"),
        (["subscribe", "x://\x1b[2J\u202e", "--count", "1", "--read"], 0, "contents", "uri|contents"),
        (["ping"], 0, "", ""),
        (["validate", "--era", "legacy"], None, "", ""),
    )

    def test_no_command_prints_dangerous_characters(self):
        for words, exit_code, places, json_places in self.COMMANDS:
            for options, expected in (([], places), (["--json"], json_places)):
                with self.subTest(words=words, options=options), tempfile.TemporaryDirectory() as folder:
                    words = [word.replace("FOLDER", folder) for word in words]
                    code, output = on_terminal(PROGRAM, *words, *options, "--", *SERVER)
                    if exit_code is not None:
                        self.assertEqual(code, exit_code, output)
                    self.assert_harmless(output, *filter(None, expected.split("|")))

    def test_json_and_errors_in_a_pipe_are_harmless_too(self):
        for words in (["list"], ["call", "plain"], ["call", "refuses"], ["read", "x://a"], ["info"]):
            with self.subTest(words=words):
                _, out, err = through_pipes(PROGRAM, *words, "--json", "--", *SERVER)
                self.assert_harmless(out + err)
                self.assertNotEqual(json.loads((out or err).splitlines()[-1]), {})
        _, out, err = through_pipes(PROGRAM, "call", "plain", "-v", "--", *SERVER)
        self.assert_harmless(err, "stderr", "log", "logger")
        # Text for another program stays as it is.
        self.assertIn("<result>\x1b]0;title\x07", out)

    def test_a_revision_that_is_no_revision(self):
        for options in ([], ["--json"], ["-v"]):
            with self.subTest(options=options):
                code, output = on_terminal(PROGRAM, "list", *options, "--", *SERVER, "revision")
                self.assertNotEqual(code, 0)
                self.assert_harmless(output, "revision")

    def test_questions_on_the_terminal(self):
        answers = (("field default", "x"), ("Enter to leave out): ", "no such option"), ("Enter to leave out): ", ""),
                   ("Enter to leave out): ", ""), ("Agree?", "no"), ("in its place", "hello"))
        code, output = on_terminal(PROGRAM, "call", "asks", "--", *SERVER, typed=answers)
        self.assertEqual(code, 0, output)
        self.assert_harmless(output, "question", "field title", "field description", "field", "option", "option title",
                             "const title", "page question", "prompt of a model", "result", "progress")

    def test_questions_that_the_command_line_answers(self):
        for options in (["--accept"], ["--answer", "name="], ["--accept", "--json"]):
            with self.subTest(options=options):
                _, output = on_terminal(PROGRAM, "call", "asks", *options, "--", *SERVER)
                self.assert_harmless(output, "result")

    def test_the_shell(self):
        lines = ["list", "describe plain", "info", "call plain", "call fails", "call refuses", "call strict",
                 "read x://a", "prompt prompt", "complete prompt a=b", "ping", "log debug", "list --json", "exit"]
        typed = [("lanyard> ", line) for line in lines]
        _, output = on_terminal(PROGRAM, "shell", "--", *SERVER, typed=typed)
        self.assert_harmless(output, "server", "version", "tool", "instructions", "result", "error", "argument",
                             "contents", "completion", "log")

    def test_completion_in_the_shell(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, XDG_STATE_HOME=folder):
            terminal = Terminal("shell", "--", *SERVER)
            terminal.wait_for("lanyard> ")
            for line in ("describe ", "read ", "prompt ", "call plain ", "call one "):
                terminal.type("\x15" + line + "\t\t")
            terminal.type("\x15exit\r")
            terminal.exit_code()
        # The line editor itself sends escape sequences.
        found = [hex(ord(each)) for each in FORBIDDEN if ord(each) >= 0x7F and each in terminal.everything.decode()]
        self.assertEqual(found, [], repr(terminal.everything))
        self.assertNotIn("\x1b]0;title", terminal.everything.decode())
        self.assertIn("refuses", terminal.everything.decode())

    def test_names_of_saved_files_and_configured_servers(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mcp.json"
            file.write_text(json.dumps({"mcpServers": {"a" + ESCAPES + "\u202e": {"command": "x" + ESCAPES, "args": [ESCAPES]},
                                                       "b": {"url": "http://x/" + ESCAPES}}}))
            for options in ([], ["--json"]):
                code, output = on_terminal(PROGRAM, "list", "--config", str(file), *options)
                self.assertEqual(code, 0, output)
                self.assert_harmless(output)
            target = folder + "/" + ESCAPES + "\u202e/"
            code, output = on_terminal(PROGRAM, "read", "x://a", "-o", target, "--", *SERVER)
            self.assertEqual(code, 0, output)
            self.assertIn("saved ", output)
            self.assert_harmless(output)


def response(status, headers=(), body=""):
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body.encode('latin-1'))}", "Connection: close"]
    return "\r\n".join([*lines, "", body]).encode("latin-1")


EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
JSON = "Content-Type: application/json"


def refused(message):
    """A JSON-RPC error whose characters are not escaped."""
    body = f'{{"jsonrpc":"2.0","id":null,"error":{{"code":-32000,"message":"{message}"}}}}'
    return body.encode().decode("latin-1")


class HttpStub:
    """Answers each request with the same bytes; requests for event streams may get others."""

    def __init__(self, answer, stream=None):
        self.answer = answer
        self.stream = stream or answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}/mcp"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve_one, args=(connection,), daemon=True).start()

    def serve_one(self, connection):
        with contextlib.suppress(OSError), connection:
            request = b""
            while b"\r\n\r\n" not in request:
                more = connection.recv(65536)
                if not more:
                    return
                request += more
            answer = self.stream if request.startswith(b"GET") else self.answer
            connection.sendall(answer(request, connection) if callable(answer) else answer)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def read_frame(connection):
    """The text of the next short frame of a client; all of them are masked."""
    head = connection.recv(2, socket.MSG_WAITALL)
    size = head[1] & 0x7F
    if size == 126:
        size = int.from_bytes(connection.recv(2, socket.MSG_WAITALL), "big")
    mask = connection.recv(4, socket.MSG_WAITALL)
    return bytes(byte ^ mask[i % 4] for i, byte in enumerate(connection.recv(size, socket.MSG_WAITALL)))


def closed_websocket(reason):
    """Accepts a WebSocket and the handshake of MCP, and closes the connection after the next request."""
    def answer(request, connection):
        key = request.split(b"Sec-WebSocket-Key: ")[1][:24]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        connection.sendall(b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
                           accept + b"\r\n\r\n")
        while (message := json.loads(read_frame(connection)))["method"] != "tools/list":
            if message["method"] == "initialize":
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                          "serverInfo": {"name": "n", "version": "1"}}
                text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            elif "id" in message:
                text = json.dumps({"jsonrpc": "2.0", "id": message["id"],
                                   "error": {"code": -32601, "message": "no"}}).encode()
            else:
                continue
            connection.sendall(b"\x81\x7e" + len(text).to_bytes(2, "big") + text)
        payload = (1008).to_bytes(2, "big") + reason.encode()
        return b"\x88" + bytes([len(payload)]) + payload
    return answer


class HttpTest(EscapesCase):
    def assert_all_harmless(self, url, *places):
        """Runs a command on a terminal, and with --json also through pipes."""
        for options in ([], ["--json"], ["-v"]):
            with self.subTest(options=options):
                code, output = on_terminal(PROGRAM, "list", url, "--timeout", "5", *options)
                self.assertNotIn(code, (0, None), output)
                self.assert_harmless(output, *places)
        _, out, err = through_pipes(PROGRAM, "list", url, "--timeout", "5", "--json")
        self.assert_harmless(out + err)
        self.assertIn("error", json.loads(err))

    def test_responses(self):
        for name, answer in (
                ("reason phrase", response("500 <here>\x1b[2J\x9b31m\xff")),
                ("reason phrase of 404", response("404 <here>\x1b[2J\x9b31m")),
                ("status line", b"HTTP/1.1 <here>\x1b[2J\x9b31m\r\n\r\n"),
                ("no HTTP", b"<here>\x1b[2J\x9b31m\r\n\r\n"),
                ("body", response("500 X", ["Content-Type: text/plain"], "<here>" + ESCAPES)),
                ("error", response("400 X", [JSON], refused("<here>\\u001b[2J\u009b\u202e\u2028"))),
                ("error with raw bytes", response("400 X", [JSON], '{"error":{"message":"<here>\x1b\x9b"}}')),
                ("Content-Type", response("200 X", ["Content-Type: <here>\x1b\x9b"], "x")),
                ("Content-Encoding", response("200 X", [JSON, "Content-Encoding: <here>\x1b\x9b"], "x")),
                ("Location", response("302 X", ["Location: http://<here>\x1b\x9b/"])),
                ("WWW-Authenticate", response("401 X", ["WWW-Authenticate: Bearer error=\"<here>\x1b\x9b\""])),
                ("Retry-After", response("503 X", ["Retry-After: <here>\x1b\x9b"])),
                ("field name", response("200 X", ["<here>\x1b\x9b: x"]))):
            with self.subTest(name), HttpStub(answer) as stub:
                self.assert_all_harmless("http://" + stub.address)

    def test_the_error_of_a_server_arrives(self):
        with HttpStub(response("400 X", [JSON], refused("<here>\\u001b[2J\u009b\u202e\u2028"))) as stub:
            self.assert_all_harmless("http://" + stub.address, "here")

    def test_the_endpoint_of_http_with_sse(self):
        for endpoint in ("http://<here>/\x1b[2J\x9b", "//<here>/" + ESCAPES, "\x1b[2J\u202e\x9b<here>"):
            events = (EVENTS + "event: endpoint\ndata: ").encode() + endpoint.encode() + b"\n\n"
            with self.subTest(endpoint), HttpStub(response("405 X"), events) as stub:
                self.assert_all_harmless("http://" + stub.address)
        events = EVENTS.encode() + b"event: endpoint\ndata: http://evil.example/<here>\x1b[2J\n\n"
        with HttpStub(response("405 X"), events) as stub:
            self.assert_all_harmless("http://" + stub.address, "here")

    def test_the_reason_of_a_closed_websocket(self):
        with HttpStub(closed_websocket("<here>\x1b[2J\u009b31m\u202e\u2028")) as stub:
            self.assert_all_harmless("ws://" + stub.address, "here")


if __name__ == "__main__":
    unittest.main()
