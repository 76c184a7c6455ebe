"""nginx as a proxy of `lanyard serve --demo`: with its default, HTTP/1.0, and with proxy_http_version 1.1."""

import contextlib
import pathlib
import socket
import subprocess
import tempfile
import time

import install
import processes

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 8m;
    server {{
        listen 127.0.0.1:{port};
        location /mcp {{
            proxy_pass {upstream};
            {options}
        }}
    }}
}}
"""

RUNS = {"HTTP/1.0 (nothing set)": "", "HTTP/1.1": 'proxy_http_version 1.1; proxy_set_header Connection "";'}

# The arguments of our program, its expected output, and the feature that this checks.
CALLS = {
    "list": (["list", "tools"], "count_down"),
    "call": (["call", "echo", "text=grün"], "grün"),
    "structured": (["call", "add", "a=1", "b=2", "--json"], '"structuredContent":{"sum":3}'),
    "progress": (["call", "count_down", "from=3"], "counted down from 3"),
    "resources": (["read", "demo://greeting/Ada"], "Hello, Ada!"),
    "prompts": (["prompt", "tip"], "Give me a tip"),
    "completion": (["complete", "review", "language=c"], "cpp"),
    "elicitation": (["call", "book_table", "--answer", "name=Ada"], "in the name of Ada"),
    "sampling": (["call", "ask_model", "question=?", "--model-answer", "42"], "says: 42"),
    "roots": (["call", "list_folders", "--root", "/tmp"], "1 open folders"),
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def proxy(program, upstream, options):
    """Runs an nginx as a proxy of the URL; yields its own URL."""
    with tempfile.TemporaryDirectory(prefix="lanyard-nginx-") as folder:
        port = free_port()
        path = pathlib.Path(folder, "nginx.conf")
        path.write_text(CONFIGURATION.format(folder=folder, port=port, upstream=upstream, options=options), encoding="utf-8")
        process = subprocess.Popen([program, "-c", path, "-p", folder, "-e", f"{folder}/error.log"], start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + 20
            while time.monotonic() < limit:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            else:
                raise install.Missing(f"nginx does not listen: {pathlib.Path(folder, 'error.log').read_text()[-300:]}")
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            processes.end(process)


def run_peer(name, peer, program, judge):
    version, places = install.install(name, peer)
    result = {"title": peer["title"], "version": version, "proxy": {}}
    for label, options in RUNS.items():
        with processes.demo(program) as upstream, proxy(places["nginx"], upstream[0], options) as url:
            for era in ("legacy", "modern"):
                results = {}
                for check, ((command, *words), expected) in CALLS.items():
                    done = processes.run([program, command, url, *words, "--era", era], 60)
                    good = done.code == 0 and expected in done.output
                    results[check] = ("ok", "") if good else ("fail", " ".join(done.shown.split())[:200])
                run = f"{label}, {era}"
                result["proxy"][run] = judge.verdicts(f"{name}: proxy {run}", results, peer.get("known", []))
                print(f"{name}: {run}: {sum(status == 'ok' for status, _ in results.values())} ok", flush=True)
    return result
