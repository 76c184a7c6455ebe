#!/usr/bin/env python3
"""operation_test.py PROGRAM: the lanyard program in operation: with a log that is not read, without standard
descriptors, with signals, and with proxies that use HTTP/1.0."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from program_case import GUARD, PROGRAM, ProgramCase

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


def call(tool, arguments, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments, "_meta": META}})


def post(body, path="/mcp", version="1.1", tool="add", more=""):
    return (f"POST {path} HTTP/{version}\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\n{more}Content-Length: {len(body)}\r\n\r\n{body}").encode()


class Case(ProgramCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    @contextlib.contextmanager
    def serve(self, *options, redirect="", code=0, **settings):
        """Starts the demonstration server from a shell, with optional redirections; yields (process, URL)."""
        command = "exec " + " ".join(f"'{part}'" for part in [PROGRAM, "serve", "--demo", *options]) + " " + redirect
        settings.setdefault("stdout", subprocess.PIPE)
        server = subprocess.Popen(["sh", "-c", command], text=True, **settings)
        try:
            url = None
            while server.stdout and not url:
                line = server.stdout.readline()
                self.assertNotEqual(line, "")
                found = re.search(r"listens at (\S+)", line)
                url = found and found[1]
            yield server, url
            server.terminate()
            self.assertEqual(server.wait(GUARD), code)
        finally:
            server.kill()
            server.wait()
            for pipe in (server.stdin, server.stdout, server.stderr):
                if pipe:
                    pipe.close()

    @staticmethod
    def connect(url):
        host, port = re.search(r"//([^:/]+):(\d+)", url).groups()
        connection = socket.create_connection((host, int(port)), timeout=GUARD)
        return connection

    def talk(self, url, data):
        """Sends the bytes; returns everything received until the end."""
        with self.connect(url) as connection:
            connection.sendall(data)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer.decode()

    def answers(self, url):
        self.assertEqual(self.succeeds("call", url, "add", "a=40", "b=2", "--json", "--timeout", "20").count("42"), 2)


class LogTest(Case):
    """Logs that are not read."""

    @contextlib.contextmanager
    def full_pipe(self):
        """A full pipe: (its reading end, its writing end)."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"." * 4096)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b".")
        os.set_blocking(writing, True)
        try:
            yield reading, writing
        finally:
            os.close(reading)
            os.close(writing)

    def read_log(self, reading, text):
        """Reads the log until it contains this text."""
        seen = b""
        while text.encode() not in seen:
            piece = os.read(reading, 65536)
            self.assertNotEqual(piece, b"")
            seen += piece

    def test_tcp_and_http_continue_if_the_log_is_not_read(self):
        for kind in ("--tcp", "--http"):
            with self.subTest(kind=kind), self.full_pipe() as (reading, writing):
                with self.serve(kind, "127.0.0.1:0", stderr=writing) as (_, url):
                    self.assertTrue(os.get_blocking(writing), "the flag is shared")
                    self.fails(5, "call", url, "fail", "way=exception")
                    self.answers(url)
                    # Once the log is read, the lines arrive.
                    self.read_log(reading, "secret detail")
                    self.answers(url)

    def test_tcp_continues_in_a_flood_if_the_log_is_not_read(self):
        with self.full_pipe() as (_, writing), self.serve("--tcp", "127.0.0.1:0", stderr=writing) as (_, url):
            for _ in range(3):
                with self.connect(url) as connection:
                    # Different ids, because the first call may still be in progress when the second one arrives.
                    first, last = (call("add", {"a": 1, "b": 2}, number) + "\n" for number in (1, 2))
                    connection.sendall((first + "x\n" * 2000 + last).encode())
                    text = b""
                    while text.count(b'"sum":3') < 2:
                        text += connection.recv(65536)
                self.answers(url)

    def test_stdio_continues_if_the_log_is_not_read(self):
        with self.full_pipe() as (_, writing):
            server = subprocess.Popen([PROGRAM, "serve", "--demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=writing, text=True)
            try:
                for _ in range(3):
                    server.stdin.write("x\n" * 500 + call("add", {"a": 1, "b": 2}) + "\n")
                    server.stdin.flush()
                    while '"sum":3' not in server.stdout.readline():
                        pass
                server.terminate()
                self.assertEqual(server.wait(GUARD), 0)
            finally:
                server.kill()
                server.wait()
                for pipe in (server.stdin, server.stdout):
                    pipe.close()

    def test_a_client_cannot_control_the_terminal_on_which_the_log_is_shown(self):
        messages = [
            r'{"\u001b[2J\n":1,"\u001b[2J\n":2}',  # the key is decoded, because it is reported as a duplicate
            '{"\x7f\x9b31m\u202e":1,"\x7f\x9b31m\u202e":2}',
            # Two texts, one of which would be cut inside a character.
            *(json.dumps({"jsonrpc": "2.0", "error": {"code": 1, "message": "a" * length + "é" * 90}}, ensure_ascii=False)
              for length in (140, 141)),
        ]
        done = subprocess.run([PROGRAM, "serve", "--demo"], input="\n".join(messages).encode(), capture_output=True,
                              timeout=GUARD, check=True)
        log = done.stderr.decode()  # fails if a character is incomplete
        self.assert_harmless(log)
        lines = log.splitlines()
        self.assertEqual(len(lines), len(messages), log)
        self.assertIn(r'duplicate key "\x1B[2J\n" at byte', lines[0])
        self.assertIn(r'duplicate key "\x7F\x9B31m\u202E" at byte', lines[1])
        for line in lines[2:]:
            self.assertTrue(line.endswith("aé") or line.endswith("éé"), line)

    def test_log_lines_caused_by_a_client_are_limited_and_counted(self):
        log = self.folder / "log"
        with open(log, "w") as file, self.serve("--tcp", "127.0.0.1:0", stderr=file) as (_, url):
            with self.connect(url) as connection:
                connection.sendall((call("add", {"a": 1, "b": 2}) + "\n" + "x\n" * 200000).encode())
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):
                    pass
        text = log.read_text()
        self.assertLess(len(text), 20000)
        self.assertIn("the client broke a rule", text)
        self.assertRegex(text, r"\d+ lines were left out, because clients cause too many")

    def test_a_closed_reader_of_the_log_does_not_end_the_process(self):
        for kind in ("--tcp", "--http"):
            with self.subTest(kind=kind), self.serve(kind, "127.0.0.1:0", stderr=subprocess.PIPE) as (server, url):
                server.stderr.close()
                self.fails(5, "call", url, "fail", "way=exception")
                self.answers(url)

    def test_a_closed_stdout_does_not_end_the_process(self):
        for kind in ("--tcp", "--http"):
            with self.subTest(kind=kind), self.serve(kind, "127.0.0.1:0") as (server, url):
                server.stdout.close()
                server.stdout = None
                self.succeeds("call", url, "print")
                self.succeeds("call", url, "print")
                self.answers(url)


class DescriptorTest(Case):
    def test_sockets_never_take_the_place_of_closed_descriptors(self):
        for redirect in ("<&-", "2>&-", "<&- 2>&-"):
            for kind in ("--tcp", "--http"):
                with self.subTest(redirect=redirect, kind=kind):
                    with self.serve(kind, "127.0.0.1:0", redirect=redirect) as (server, url):
                        for number in (0, 2):
                            self.assertNotIn("socket", os.readlink(f"/proc/{server.pid}/fd/{number}"))
                        self.fails(5, "call", url, "fail", "way=exception")
                        self.answers(url)

    def test_serves_without_stdout(self):
        path = self.folder / "demo.sock"
        with self.serve("--unix", str(path), redirect=">&-", stdout=subprocess.DEVNULL) as (server, _):
            server.stdout = None
            while not path.exists():
                time.sleep(0.01)
            self.assertEqual(os.readlink(f"/proc/{server.pid}/fd/1"), "/dev/null")
            self.succeeds("call", f"unix:{path}", "print")
            self.answers(f"unix:{path}")

    def test_a_server_over_pipes_needs_stdin_and_stdout(self):
        for redirect, name in (("<&-", "stdin"), (">&-", "stdout")):
            done = subprocess.run(["sh", "-c", f"exec '{PROGRAM}' serve --demo {redirect}"], capture_output=True, text=True,
                                  timeout=GUARD, check=False, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 4)
            self.assertIn(f"{name} is closed", done.stderr)

    def test_output_to_a_closed_pipe_is_an_error_and_not_a_signal(self):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = subprocess.run([PROGRAM, "list", "--", PROGRAM, "serve", "--demo"], stdout=writing, timeout=GUARD,
                                  stderr=subprocess.PIPE, check=False)
        finally:
            os.close(writing)
        self.assertEqual(done.returncode, 1, done.stderr)
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=GUARD,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)


class SignalTest(Case):
    def test_the_second_signal_ends_the_process_with_that_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.serve("--http", "127.0.0.1:0", code=128 + number) as (server, url):
                with self.connect(url) as connection:
                    connection.sendall(post(call("wait", {"seconds": 60}), tool="wait"))
                    self.answers(url)  # so the previous call is in progress
                    server.send_signal(number)
                    self.refuses(url)
                    server.send_signal(number)
                    self.assertEqual(server.wait(GUARD), 128 + number)

    def refuses(self, url):
        """Returns once new connections are refused."""
        deadline = time.monotonic() + GUARD
        while time.monotonic() < deadline:
            try:
                self.connect(url).close()
            except (ConnectionRefusedError, ConnectionResetError):
                return
            time.sleep(0.01)
        self.fail("the server still listens")

    def test_a_call_that_outlasts_the_grace_gets_an_error(self):
        with self.serve("--http", "127.0.0.1:0") as (server, url):
            with self.connect(url) as connection:
                connection.sendall(post(call("wait", {"seconds": 60}), tool="wait"))
                self.answers(url)  # so the previous call is in progress
                server.terminate()
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
                self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
            self.assertEqual(server.wait(GUARD), 0)

    def test_hang_up_ends_a_server_without_files(self):
        for kind in ("--tcp", "--http"):
            with self.serve(kind, "127.0.0.1:0") as (server, url):
                server.send_signal(signal.SIGHUP)
                self.assertEqual(server.wait(GUARD), 0)

    @unittest.skipUnless(shutil.which("openssl"), "needs the program openssl")
    def test_hang_up_reads_the_certificate_again(self):
        def make(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                            "-nodes", "-days", "1", "-subj", f"/CN={name}", "-out", str(self.folder / "cert"),
                            "-keyout", str(self.folder / "key")], check=True, capture_output=True)

        def shown(url):
            host, port = re.search(r"//([^:/]+):(\d+)", url).groups()
            return ssl.get_server_certificate((host, int(port)))

        make("first")
        files = ["--tls-cert", str(self.folder / "cert"), "--tls-key", str(self.folder / "key")]
        for kind in ("--http", "--tcp"):
            with self.serve(kind, "127.0.0.1:0", *files) as (server, url):
                before = shown(url)
                make("second")
                server.send_signal(signal.SIGHUP)
                # Much sooner than the server checks the files by itself.
                deadline = time.monotonic() + 8
                while shown(url) == before and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.assertNotEqual(shown(url), before)
                # An invalid certificate is ignored; the server keeps running.
                (self.folder / "cert").write_text("nonsense")
                server.send_signal(signal.SIGHUP)
                time.sleep(0.2)
                self.assertNotEqual(shown(url), before)
                make("third")


class OldHttpTest(Case):
    def test_http_1_0_is_answered(self):
        with self.serve("--http", "127.0.0.1:0") as (_, url):
            answer = self.talk(url, post(call("add", {"a": 40, "b": 2}), version="1.0"))
            head, body = answer.split("\r\n\r\n", 1)
            self.assertTrue(head.startswith("HTTP/1.1 200 OK"), head)
            self.assertIn("Connection: close", head)
            self.assertNotIn("Transfer-Encoding", head)
            self.assertEqual(json.loads(body)["result"]["structuredContent"], {"sum": 42})

    def test_a_stream_of_http_1_0_ends_with_the_connection(self):
        with self.serve("--http", "127.0.0.1:0") as (_, url):
            body = json.loads(call("count_down", {"from": 3, "delay_ms": 5}))
            body["params"]["_meta"] = {**META, "progressToken": 1}
            answer = self.talk(url, post(json.dumps(body), version="1.0", tool="count_down"))
            head, events = answer.split("\r\n\r\n", 1)
            self.assertIn("text/event-stream", head)
            self.assertNotIn("Transfer-Encoding", head)
            data = [json.loads(line[6:]) for line in events.splitlines() if line.startswith("data: {")]
            self.assertEqual([message.get("method") for message in data[:-1]], ["notifications/progress"] * (len(data) - 1))
            self.assertEqual(data[-1]["id"], 1)

    def test_a_slash_after_the_path_makes_no_difference(self):
        with self.serve("--http", "127.0.0.1:0") as (_, url):
            self.talks_to_the_demo(url + "/")


if __name__ == "__main__":
    unittest.main()
