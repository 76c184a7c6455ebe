"""Our program with published servers of other authors, which real/servers.json lists."""

import collections
import concurrent.futures
import json
import os
import subprocess
import tempfile
import time

import install
import processes
import wire

SECONDS = 300  # for one command


def install_all():
    """Installs all servers; returns the values of {npm}, {python}, {sqlite} and {node}, and the versions of all packages."""
    here, build = install.HERE / "real", install.BUILD
    versions = install.npm(here, build / "real-npm")
    versions |= install.python(here / "requirements.txt", build / "real-python")
    sqlite = install.python(here / "sqlite/requirements.txt", build / "real-sqlite")  # it needs version 1 of the SDK
    versions["mcp-server-sqlite"] = sqlite["mcp-server-sqlite"]
    places = {"npm": build / "real-npm/node_modules", "python": build / "real-python/bin",
              "sqlite": build / "real-sqlite/bin", "node": build / "npm/bin/node"}
    return versions, {key: str(place) for key, place in places.items()}


def make_work(folder):
    """Makes the data that servers work with: a file and a Git repository."""
    with open(f"{folder}/note.txt", "w", encoding="utf-8") as note:
        note.write("a note\n")
    git = ["git", "-C", f"{folder}/repository", "-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", "init", "-q", "-b", "main", f"{folder}/repository"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "the first commit"], check=True)


class Server:
    """One published server. The words of `target` tell the program how to reach it: by default it runs it over stdio."""

    def __init__(self, entry, program, places, folder, target=None):
        self.entry, self.program, self.folder = entry, program, folder
        self.places = {**places, "folder": folder}
        self.command = install.filled(entry["command"], self.places)
        self.target = target or ["--", *self.command]
        more = entry.get("environment", {})
        self.environment = {**os.environ, "NO_COLOR": "1", "HOME": folder,
                            **dict(zip(more, install.filled(more.values(), self.places)))}

    def lanyard(self, command, *words):
        return processes.run([self.program, command, *words, "--timeout", "90", *self.target], SECONDS, env=self.environment,
                             cwd=self.folder)

    def check_list(self, era):
        done = self.lanyard("list", "--json", "--era", era)
        if era == "modern" and "modern" not in self.entry["eras"]:
            return ("na", "") if done.code == 6 else ("fail", f"code {done.code}, not 6: {done.shown[-300:]}")
        if done.code != 0:
            return "fail", f"code {done.code}: {done.shown[-300:]}"
        count = len(json.loads(done.output)["tools"])
        return ("ok", "") if count == self.entry["tools"] else ("fail", f"{count} tools, not {self.entry['tools']}")

    def check_wire(self):
        done = self.lanyard("list", "tools", "--json", "--era", "legacy")
        shown = json.loads(done.output)["tools"]
        sent = wire.tools(self.command, env=self.environment, cwd=self.folder)
        differing = [tool["name"] for tool, other in zip(sent, shown) if tool != other]
        if differing or len(sent) != len(shown):
            return "fail", f"{len(sent)} tools sent, {len(shown)} shown, different: {differing[:3]}"
        return "ok", ""

    def check_call(self):
        call = self.entry["call"]
        if call is None:
            return "na", "Every tool of it calls a service on the Internet."
        words = install.filled(call["words"], self.places)
        done = self.lanyard("call", *words)
        good = done.code == call.get("code", 0) and call["shows"] in done.shown
        return ("ok", "") if good else ("fail", f"code {done.code}: {done.shown[-300:]}")

    def check_validate(self):
        """Validates the server. The rules that it breaks are defects of the server; servers.json lists them."""
        done = self.lanyard("validate", "--json")
        checks = json.loads(done.output)["checks"]
        self.counts = collections.Counter(each["verdict"] for each in checks)
        broken = sorted({each["name"] for each in checks if each["verdict"] == "failed"})
        if broken != sorted(self.entry.get("breaks", [])):
            return "fail", f"breaks {broken}, not {sorted(self.entry.get('breaks', []))}"
        return ("theirs", "It breaks: " + "; ".join(broken) + ".") if broken else ("ok", "")

    def run(self, names=("auto", "legacy", "modern", "wire", "call", "validate")):
        """Runs the checks; returns their results and the verdicts of the validation."""
        self.counts = {}
        actions = {"auto": lambda: self.check_list("auto"), "legacy": lambda: self.check_list("legacy"),
                   "modern": lambda: self.check_list("modern"), "wire": self.check_wire, "call": self.check_call,
                   "validate": self.check_validate}
        results = {}
        for name in names:
            try:
                results[name] = actions[name]()
            except (OSError, RuntimeError, ValueError, KeyError, TypeError) as why:
                results[name] = ("fail", f"{type(why).__name__}: {why}"[:300])
        return results, dict(self.counts)


def run_http(entry, way, program, places, folder):
    """The results of a server over HTTP. `way` is one element of the member "http" of the entry."""
    port = processes.free_port()
    environment = {**entry.get("environment", {}), **way.get("environment", {})}
    server = Server({**entry, **way, "environment": environment}, program, {**places, "port": str(port)}, folder,
                    [f"http://127.0.0.1:{port}{way['path']}"])
    with processes.listening(server.command, port, env=server.environment, cwd=folder):
        return server.run(("auto", "legacy", "modern", "validate"))


def run_server(entry, program, places):
    """The results of a server and the verdicts of the validation, over stdio and by the name of each way over HTTP; and
    the duration in seconds."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lanyard-interop-", ignore_cleanup_errors=True) as folder:
        make_work(folder)
        runs = {"": Server(entry, program, places, folder).run()}
        for way in entry.get("http", []):
            try:
                runs[way["name"]] = run_http(entry, way, program, places, folder)
            except (OSError, RuntimeError) as why:
                runs[way["name"]] = ({"auto": ("fail", str(why))}, {})
        return runs, time.monotonic() - began


def run_peer(name, peer, program, judge):
    versions, places = install_all()
    entries = json.loads((install.HERE / "real/servers.json").read_text(encoding="utf-8"))
    result = {"title": peer["title"], "servers": {}}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        runs = threads.map(lambda entry: run_server(entry, program, places), entries)
        for entry, (runs_of_entry, seconds) in zip(entries, runs):
            package = entry["package"]
            saved = {"version": versions[package], "tools": entry["tools"], "http": {}}
            for way, (results, counts) in runs_of_entry.items():
                judged = judge.verdicts(f"{name}: {package} {way}".rstrip(), results, [])
                outcome = {"results": judged, "validate": counts}
                if way:
                    saved["http"][way] = outcome
                else:
                    saved.update(outcome)
                good = sum(status == "ok" for status, _ in judged.values())
                print(f"{name}: {package} over {way or 'stdio'}: {good} of {len(judged)} ok", flush=True)
            result["servers"][package] = saved
            print(f"{name}: {package}: {seconds:.0f} s", flush=True)
    return result
