#!/usr/bin/env python3
"""http_test.py PROGRAM: the lanyard program with servers at a URL: its own demonstration server in both eras, and
servers that refuse, that are old, or that do not support MCP."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from program_case import GUARD, PROGRAM, ProgramCase, run


class Case(ProgramCase):
    @contextlib.contextmanager
    def demo(self, *options, env=None):
        """Starts the demonstration server; yields its URL and the text it has printed."""
        server = subprocess.Popen([PROGRAM, "serve", "--demo", "--http", "127.0.0.1:0", *options],
                                  stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.pid = server.pid
        try:
            text = ""
            while "curl" not in text:
                line = server.stdout.readline()
                self.assertNotEqual(line, "", text)
                text += line
            yield re.search(r"http://\S+", text)[0], text
        finally:
            server.terminate()
            server.stdout.close()
            self.assertEqual(server.wait(GUARD), 0)


class Stub(http.server.BaseHTTPRequestHandler):
    """Answers every request with the answer function of its server."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((dict(self.headers), json.loads(body)))
        status, headers, answer = self.server.answer(json.loads(body))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def stub(answer):
    """Starts a server that answers a message with (status, headers, text)."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub) as server:
        server.answer = answer
        server.seen = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/mcp", server.seen
        finally:
            server.shutdown()
            thread.join()


JSON = {"Content-Type": "application/json"}


def legacy(message):
    """The answers of a server of 2025-06-18 without sessions."""
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "old", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "old_tool", "inputSchema": {"type": "object"}}]}
    elif "id" not in message:
        return 202, {}, ""
    else:
        error = {"code": -32601, "message": "Method not found"}
        return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})
    return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})


class DemoTest(Case):
    def test_serves_every_command_in_both_eras(self):
        with self.demo() as (url, _):
            self.talks_to_the_demo(url)

    def test_does_not_load_openssl_without_tls(self):
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        if "libcrypto" in linked:
            self.assertNotEqual(os.environ.get("CI"), "true", "linked with OpenSSL, and CI leaves no check out")
            self.skipTest("this program was linked with OpenSSL")
        with self.demo() as (url, _):
            self.succeeds("call", url, "add", "a=1", "b=2")
            maps = pathlib.Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8")
        self.assertIn("libc.so", maps)
        self.assertNotIn("libcrypto", maps)
        self.assertNotIn("libssl", maps)

    def test_shows_messages(self):
        with self.demo() as (url, _):
            for era in ("legacy", "modern"):
                done = run("call", url, "echo", "text=hi", "--verbose", "--era", era)
                self.assertEqual((done.returncode, done.stdout), (0, "hi\n"), done.stderr)
                self.assertRegex(done.stderr, r'(?m)^--> .*"tools/call"')
                self.assertRegex(done.stderr, r'(?m)^<-- .*"hi"')

    def test_prints_how_to_connect(self):
        with self.demo() as (url, text):
            for words in (f"claude mcp add --transport http lanyard-demo {url}", "code --add-mcp", "inspector --cli",
                          f"lanyard list {url}", f"curl -s {url}"):
                self.assertIn(words, text)

    def test_requires_a_token(self):
        with self.demo("--bearer-env", "DEMO_TOKEN", env={"DEMO_TOKEN": "secret"}) as (url, _):
            for era in (["--era", "legacy"], ["--era", "modern"], []):
                self.assertIn("--bearer-env", self.fails(3, "list", url, *era))
                self.assertIn("--bearer-env", self.fails(3, "list", url, "--bearer-env", "T", *era, env={"T": "wrong"}))
                self.succeeds("list", url, "--bearer-env", "T", *era, env={"T": "secret"})
                self.succeeds("list", url, "--header", "Authorization: Bearer secret", *era)

    def test_is_named_by_a_configuration(self):
        with self.demo("--bearer-env", "DEMO_TOKEN", env={"DEMO_TOKEN": "secret"}) as (url, _), \
                tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mcp.json"
            entry = {"url": url, "headers": {"Authorization": "Bearer ${TOKEN}"}}
            file.write_text(json.dumps({"mcpServers": {"demo": entry}}))
            self.assertEqual(self.succeeds("call", "demo", "echo", "text=hi", "--config", str(file), env={"TOKEN": "secret"}),
                             "hi\n")

    def test_refuses_invalid_options(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for option in ("--http", "--tcp"):
                self.assertRegex(self.fails(4, "serve", "--demo", option, f"127.0.0.1:{port}"),
                                 rf"^lanyard: .*\b{port}\b")
        self.fails(1, "serve", "--demo", "--http", "nonsense")
        for count in ("0", "-1", "x", "1e3", "5000"):
            self.assertIn(f"--threads: '{count}' is neither a number from 1 to 1024 nor auto",
                          self.fails(1, "serve", "--demo", "--http", "127.0.0.1:0", f"--threads={count}"))
        self.fails(1, "serve", "--demo", "--stdio", "--threads", "2")
        self.assertIn("--allow-host NAME", self.fails(1, "serve", "--demo", "--http", "0.0.0.0:0"))
        self.assertIn("the port is missing in '127.0.0.1'", self.fails(1, "serve", "--demo", "--http", "127.0.0.1"))
        self.fails(1, "serve", "--demo", "--http", "127.0.0.1:0", "--stdio")
        self.fails(1, "serve", "--demo", "--allow-origin", "https://app.example")
        self.assertIn("NO_SUCH", self.fails(1, "serve", "--demo", "--http", "127.0.0.1:0", "--bearer-env", "NO_SUCH"))


class ThreadsTest(Case):
    def threads_of(self, *options, first=()):
        """The number of threads of the demonstration server after a call."""
        server = subprocess.Popen([*first, PROGRAM, "serve", "--demo", "--http", "127.0.0.1:0", *options],
                                  stdout=subprocess.PIPE, text=True)
        try:
            url = None
            while url is None:
                url = re.search(r"http://\S+", server.stdout.readline())
            for era in ("legacy", "modern"):
                self.succeeds("call", url[0], "echo", "text=hi", "--era", era)
            return len(os.listdir(f"/proc/{server.pid}/task"))
        finally:
            server.terminate()
            server.stdout.close()
            self.assertEqual(server.wait(GUARD), 0)

    def test_serves_on_several(self):
        one = self.threads_of("--threads", "1")
        # Each loop has a thread that waits for its end and a thread that runs it.
        self.assertGreaterEqual(self.threads_of("--threads", "8"), one + 8)

    def test_follows_the_affinity(self):
        few = self.threads_of(first=("taskset", "-c", str(min(os.sched_getaffinity(0)))))
        self.assertGreaterEqual(self.threads_of("--threads", "8"), few + 8)


class PeerTest(Case):
    def test_sends_headers(self):
        with stub(legacy) as (url, seen):
            self.succeeds("list", url, "--era", "legacy", "--header", "X-Key: a b", "--header", "X-Other:c",
                          "--bearer-env", "T", env={"T": "token"})
            for headers, _ in seen:
                self.assertEqual((headers["X-Key"], headers["X-Other"], headers["Authorization"]), ("a b", "c", "Bearer token"))

    def test_supports_old_servers(self):
        with stub(legacy) as (url, _):
            self.assertIn("old_tool", self.succeeds("list", url))
            self.assertIn("old_tool", self.succeeds("list", url, "--era", "legacy"))

    def test_reports_a_server_that_is_too_old_in_the_same_way_everywhere(self):
        without_id = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Server not initialized"}}
        for refusal in (
            None,
            (404, {"Content-Type": "text/html"}, "<html><h1>Not Found</h1></html>"),
            (404, {}, ""),
            (400, JSON, json.dumps(without_id)),
            (400, JSON, json.dumps({"message": "no session"})),
            (405, {"Content-Type": "text/plain", "Allow": "GET"}, "Method Not Allowed"),
            (406, {}, ""),
            (200, {"Content-Type": "text/html"}, "<html>hello</html>"),
        ):
            def old(message, refusal=refusal):
                return refusal if refusal and message["method"] == "server/discover" else legacy(message)

            with stub(old) as (url, _), self.subTest(refusal=refusal):
                self.assertEqual(self.fails(6, "list", url, "--era", "modern"),
                                 f"lanyard: {url} does not support the modern era of the protocol; "
                                 "use --era auto or --era legacy\n")
                self.assertIn("old_tool", self.succeeds("list", url, "--era", "auto"))

    def test_reports_that_nothing_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/mcp"
            for options in ([], ["--timeout", "2"], ["--timeout", "0.5"]):
                start = time.monotonic()
                text = self.fails(4, "list", url, *options)
                # Without retries: the first one would be sent after 0.8 seconds at the earliest, and three take 5.
                self.assertLess(time.monotonic() - start, 4)
                self.assertIn(url, text)
                self.assertIn("refused", text)
        self.assertIn("no-such-host.invalid", self.fails(4, "list", "http://no-such-host.invalid/mcp"))

    def test_a_connection_that_does_not_open_is_no_late_answer(self):
        with socket.socket() as full, contextlib.ExitStack() as others:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            # The system does not complete further connections once the queue is full.
            for _ in range(4):
                other = others.enter_context(socket.socket())
                other.setblocking(False)
                other.connect_ex(full.getsockname())
            port = full.getsockname()[1]
            for url in (f"http://127.0.0.1:{port}/mcp", f"ws://127.0.0.1:{port}/mcp", f"tcp://127.0.0.1:{port}"):
                with self.subTest(url=url):
                    self.assertIn("in time", self.fails(4, "list", url, "--timeout", "1"))

    def test_advises_a_path_if_the_url_has_none(self):
        advice = "; the URL has no path, and most servers are at "
        with self.demo() as (url, _):
            base = url.removesuffix("/mcp")
            for missing in (base, base + "/"):
                for era in ([], ["--era", "modern"], ["--era", "legacy"]):
                    self.assertIn(advice + url + "\n", run("list", missing, *era).stderr)
            self.assertNotIn(advice, run("list", base + "/other").stderr)
        with stub(lambda _: (404, {"Content-Type": "text/html"}, "<html>")) as (url, _):
            self.assertIn(advice + url + "\n", self.fails(4, "list", url.removesuffix("/mcp")))
            self.assertNotIn(advice, self.fails(4, "list", url))

    def test_reports_a_server_that_is_not_an_mcp_server(self):
        page = (200, {"Content-Type": "text/html"}, "<html>hello</html>")
        for answer, code, words in (
            (page, 6, "neither JSON nor an event stream"),
            ((404, {"Content-Type": "text/plain"}, "no such page"), 4, "404"),
            ((500, {"Content-Type": "text/plain"}, "broken"), 4, "500"),
            ((401, {"WWW-Authenticate": "Bearer"}, ""), 3, "--bearer-env"),
            ((403, {}, ""), 3, "403"),
            ((200, JSON, "nonsense"), 6, "JSON"),
        ):
            with stub(lambda _, answer=answer: answer) as (url, _):
                done = run("list", url)
                with self.subTest(answer=answer):
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertIn(words, done.stderr)
                    self.assertIn(url, done.stderr)

    def test_validate_reports_missing_credentials_at_once(self):
        for status, headers in ((401, {"WWW-Authenticate": "Bearer"}), (403, {})):
            for era in ([], ["--era", "modern"], ["--era", "legacy"]):
                with self.subTest(status=status, era=era), stub(lambda _, s=status, h=headers: (s, h, "")) as (url, seen):
                    done = run("validate", url, *era)
                    self.assertEqual((done.returncode, done.stdout), (3, ""))
                    self.assertEqual(done.stderr, f"lanyard: the server answered HTTP {status}; --bearer-env or --header "
                                                  "sends credentials\n")
                    self.assertLessEqual(len(seen), 2, "the checks are not run")

    def test_refuses_wrong_options(self):
        self.assertEqual(self.fails(1, "list", "ftp://x"),
                         "lanyard: 'ftp://x' is not the URL of a server: it must begin with http://, https://, ws://, "
                         "wss://, tcp://, tls:// or unix:\n")
        for url in ("http://", "ftp://example.com/mcp", "http://exa mple/mcp", "http://127.0.0.1:99999/mcp"):
            self.fails(1, "list", url)
        self.assertIn("is not a header", self.fails(1, "list", "http://127.0.0.1:9/mcp", "--header", "nonsense"))
        self.assertIn("NO_SUCH", self.fails(1, "list", "http://127.0.0.1:9/mcp", "--bearer-env", "NO_SUCH"))
        self.assertIn("with a URL", self.fails(1, "list", "--header", "a: b", "--", PROGRAM, "serve", "--demo"))

    def test_stops_on_ctrl_c(self):
        with self.demo() as (url, _):
            for era in ("legacy", "modern"):
                waiting = subprocess.Popen([PROGRAM, "call", url, "wait", "seconds=600", "--era", era, "--verbose"],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for line in waiting.stderr:
                    if '"tools/call"' in line:
                        break
                waiting.send_signal(signal.SIGINT)
                waiting.communicate(timeout=GUARD)
                self.assertEqual(waiting.returncode, 130)
                count = ""
                for _ in range(200):
                    count = self.succeeds("call", url, "count_interrupted")
                    if count == ("1\n" if era == "legacy" else "2\n"):
                        break
                self.assertEqual(count, "1\n" if era == "legacy" else "2\n")


if __name__ == "__main__":
    unittest.main()
