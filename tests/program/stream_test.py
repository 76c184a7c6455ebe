#!/usr/bin/env python3
"""stream_test.py PROGRAM: the lanyard program with servers on sockets: TCP, TLS, Unix sockets, several at once, and
the command that checks servers."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

from program_case import GUARD, PROGRAM, ProgramCase, run


class Case(ProgramCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    @contextlib.contextmanager
    def demo(self, *options, count=1, env=None):
        """Starts the demonstration server; yields the URLs at which it listens."""
        server = subprocess.Popen([PROGRAM, "serve", "--demo", *options], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, **(env or {})})
        try:
            urls = []
            while len(urls) < count:
                line = server.stdout.readline()
                self.assertNotEqual(line, "", urls)
                if "listens at " in line:
                    urls.append(line.split("listens at ")[1].split()[0])
            yield urls
        finally:
            server.terminate()
            server.stdout.close()
            self.assertEqual(server.wait(GUARD), 0)

    def certificate(self, name, *extra):
        """Makes a self-signed certificate; returns its files."""
        files = [str(self.folder / f"{name}.pem"), str(self.folder / f"{name}.key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "1", "-subj", f"/CN={name}", "-out", files[0], "-keyout", files[1], *extra],
                       check=True, capture_output=True)
        return files


class ServeTest(Case):
    def test_serves_every_command_over_every_socket_at_once(self):
        path = str(self.folder / "demo.sock")
        with self.demo("--tcp", "127.0.0.1:0", "--unix", path, "--http", "127.0.0.1:0", count=3) as urls:
            self.assertEqual(sorted(url.split(":")[0] for url in urls), ["http", "tcp", "unix"])
            self.assertIn(f"unix:{path}", urls)
            for url in urls:
                with self.subTest(url=url):
                    self.talks_to_the_demo(url)
        self.assertFalse(os.path.exists(path))

    @unittest.skipUnless(shutil.which("openssl"), "needs the program openssl")
    def test_serves_over_tls(self):
        certificate, key = self.certificate("localhost", "-addext", "subjectAltName=IP:127.0.0.1")
        client, client_key = self.certificate("ada")
        with self.demo("--tcp", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key) as (url,):
            self.assertTrue(url.startswith("tls://"))
            self.talks_to_the_demo(url, "--ca-file", certificate)
            self.succeeds("list", url, "--insecure")
            self.assertIn("certificate", self.fails(4, "list", url))
        with self.demo("--tcp", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key, "--tls-clients", client) as (url,):
            trusting = ["--ca-file", certificate]
            self.succeeds("list", url, *trusting, "--client-cert", client, "--client-key", client_key)
            self.assertIn("certificate required", self.fails(3, "list", url, *trusting))

    def test_requires_a_token(self):
        with self.demo("--tcp", "127.0.0.1:0", "--bearer-env", "DEMO_TOKEN", env={"DEMO_TOKEN": "secret"}) as (url,):
            for era in (["--era", "legacy"], ["--era", "modern"], []):
                self.succeeds("list", url, "--bearer-env", "T", *era, env={"T": "secret"})
                self.assertIn("does not know this client", self.fails(3, "list", url, *era))
            self.assertIn("no headers", self.fails(1, "list", url, "--header", "a: b"))

    def test_refuses_invalid_options(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.assertIn(str(port), self.fails(4, "serve", "--demo", "--tcp", f"127.0.0.1:{port}"))
        self.assertIn("port is missing", self.fails(1, "serve", "--demo", "--tcp", "127.0.0.1"))
        self.assertIn("can be reached from other machines", self.fails(1, "serve", "--demo", "--tcp", "0.0.0.0:0"))
        self.fails(1, "serve", "--demo", "--tcp", "127.0.0.1:0", "--stdio")
        self.fails(1, "serve", "--demo", "--tcp", "127.0.0.1:0", "--ws")
        self.fails(1, "serve", "--demo", "--tcp", "127.0.0.1:0", "--tls-cert", "/nowhere")
        (self.folder / "file").write_text("precious")
        self.assertIn("not a socket", self.fails(4, "serve", "--demo", "--unix", str(self.folder / "file")))

    def test_reports_that_nothing_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
            self.assertIn(url, self.fails(4, "list", url))
        url = f"unix:{self.folder}/nobody"
        self.assertIn(url, self.fails(4, "list", url))
        self.fails(1, "list", "tcp://127.0.0.1")


class ValidateTest(Case):
    def test_finds_no_violations_in_the_demo(self):
        path = str(self.folder / "demo.sock")
        with self.demo("--tcp", "127.0.0.1:0", "--unix", path, "--http", "127.0.0.1:0", "--ws", count=3) as urls:
            http = next(url for url in urls if url.startswith("http:"))
            urls.append("ws" + http.removeprefix("http") + "/ws")
            for target in [[url] for url in urls] + [["--", PROGRAM, "serve", "--demo"]]:
                with self.subTest(target=target):
                    report = json.loads(self.succeeds("validate", "--json", *target))
                    self.assertTrue(report["passed"])
                    verdicts = {(check["version"], check["name"]): check["verdict"] for check in report["checks"]}
                    self.assertEqual(verdicts["2026-07-28", "answers server/discover"], "passed")
                    self.assertEqual(verdicts["2025-11-25", "answers ping"], "passed")
                    self.assertLessEqual(set(verdicts.values()), {"passed", "skipped"})
                    self.assertTrue(all(check["rule"] and check["level"] in ("MUST", "SHOULD")
                                        for check in report["checks"]))
            text = self.succeeds("validate", urls[0])
            self.assertRegex(text, r"(?m)^passed +MUST +2025-11-25  answers ping \(basic/utilities/ping, .*\)$")
            self.assertRegex(text, r"(?m)^\d+ passed, 0 failed, 0 warnings, \d+ skipped$")
            text = self.succeeds("validate", urls[0], "--era", "legacy")
            self.assertNotIn("2026-07-28", text)

    def test_checks_the_limit_of_messages_if_it_is_given(self):
        name = "refuses a message beyond its limit and continues"
        with self.demo("--tcp", "127.0.0.1:0", count=1) as urls:
            for limit, verdict in ((16 * 1024 * 1024, "passed"), (1_000, "warning")):
                with self.subTest(limit=limit):
                    done = run("validate", "--json", "--timeout", "2", "--max-message-bytes", str(limit), urls[0])
                    checks = json.loads(done.stdout)["checks"]
                    verdicts = {check["verdict"] for check in checks if check["name"] == name}
                    self.assertEqual(verdicts, {verdict})

    def test_reports_the_violations_of_other_servers(self):
        # The server answers every request with invalid text.
        silly = ["--", "sh", "-c", "while read line; do echo '{\"jsonrpc\":\"2.0\",\"id\":0}'; done"]
        done = run("validate", "--timeout", "2", *silly)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^FAILED +MUST .* supports a known revision of the protocol \(.*\): ")
        self.assertIn("0 passed, 1 failed, 0 warnings, 0 skipped", done.stdout)
        self.fails(4, "validate", f"unix:{self.folder}/nobody")
        error = json.loads(self.fails(4, "validate", "http://127.0.0.1:1/mcp", "--json"))["error"]
        self.assertEqual(error["kind"], "unreachable")
        self.assertIn("cannot connect to 127.0.0.1:1", error["message"])
        self.fails(1, "validate")
        self.fails(1, "validate", "tcp://127.0.0.1:1", "superfluous")


if __name__ == "__main__":
    unittest.main()
