"""Writes the tables of docs/interop.md from the results of tools/interop."""

import re

from install import ROOT
from sdks import CHECKS

PAGE = ROOT / "docs/interop.md"

# Columns that several checks share.
CLIENT_COLUMNS = {"tools": ["list", "call", "structured", "errors"], **{check: [check] for check in CHECKS[4:]}}
SERVER_COLUMNS = {"tools": ["list", "call", "structured", "errors"], **{check: [check] for check in (
    "progress", "resources", "templates", "prompts", "completion", "elicitation", "sampling")}}
PROXY_COLUMNS = ["list", "call", "structured", "progress", "resources", "prompts", "completion", "elicitation", "sampling",
                 "roots"]


class Notes:
    """Numbered notes after a table."""

    def __init__(self):
        self.reasons = []

    def number(self, reason):
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason) + 1

    def lines(self):
        return [f"{number}. {reason}" for number, reason in enumerate(self.reasons, 1)]


def cell(results, checks, notes):
    """The table cell with the worst result of several checks."""
    found = [results[check] for check in checks if check in results]
    for status, reason in found:
        if status == "fail":
            return "**fails**"
        if status == "theirs":
            return f"theirs ({notes.number(reason)})"
    if not found:
        return ""
    return "–" if all(status == "na" for status, _ in found) else "ok"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]


def how(peer, kind, runs):
    labels = peer.get(kind, {}).get("labels", {})
    grouped = {}
    for run in runs:
        if run in labels:
            grouped[labels[run]] = []
        else:
            transport, era = run.split()
            grouped.setdefault({"stdio": "stdio", "http": "HTTP"}[transport], []).append(
                {"both": "both eras", "auto": "negotiated"}.get(era, era))
    return "; ".join(f"{name}: {', '.join(eras)}" if eras else name for name, eras in grouped.items())


def rows_of(results, peers, kind, columns, notes):
    """The rows of the table; runs of a peer with the same cells share a row."""
    rows = []
    for name, result in sorted(results.items(), key=lambda pair: pair[1]["title"].lower()):
        same = {}
        for run, outcome in result.get(kind, {}).items():
            cells = tuple(cell(outcome, checks, notes) for checks in columns.values())
            same.setdefault(cells, []).append(run)
        rows += [[result["title"], result["version"], how(peers[name], kind, runs), *cells] for cells, runs in same.items()]
    return rows


def sdk_tables(results, peers):
    lines = []
    for kind, columns, title in (("client", CLIENT_COLUMNS, "Their clients, Lanyard's server"),
                                 ("server", SERVER_COLUMNS, "Lanyard's client, their servers")):
        notes = Notes()
        rows = rows_of(results, peers, kind, columns, notes)
        lines += [f"### {title}", "", *table([kind, "version", "over", *columns], rows), "", *notes.lines(), ""]
    return lines


def proxy_table(results):
    result = results["nginx"]
    rows = [[result["title"], result["version"], run, *(cell(outcome, [check], Notes()) for check in PROXY_COLUMNS)]
            for run, outcome in result["proxy"].items()]
    return ["### Proxies between Lanyard's client and server", "",
            *table(["proxy", "version", "to the server", *PROXY_COLUMNS], rows), ""]


def validation(outcome, notes):
    """The table cell with the verdicts of `lanyard validate`."""
    counts = outcome["validate"]
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("passed", "failed", "warning", "skipped")
                      if counts.get(verdict))
    broken = outcome["results"].get("validate", ["fail", ""])
    return shown + (f" ({notes.number(broken[1])})" if broken[0] == "theirs" else "")


def real_tables(result):
    servers = sorted(result["servers"].items(), key=lambda pair: pair[0].lstrip("@"))
    notes = Notes()
    rows = [[package, server["version"], str(server["tools"]),
             *(cell(server["results"], [check], notes) for check in ("auto", "legacy", "modern", "wire", "call")),
             validation(server, notes)] for package, server in servers]
    head = ["server", "version", "tools", "list", "legacy", "modern", "as on the wire", "call", "validate"]
    lines = ["### Servers of other authors, over stdio", "", *table(head, rows), "", *notes.lines(), ""]

    notes = Notes()
    rows = [[package, server["version"], way,
             *(cell(outcome["results"], [check], notes) for check in ("auto", "legacy", "modern")),
             validation(outcome, notes)]
            for package, server in servers for way, outcome in server.get("http", {}).items()]
    head = ["server", "version", "over", "list", "legacy", "modern", "validate"]
    if rows:
        lines += ["### Servers of other authors, over HTTP", "", *table(head, rows), "", *notes.lines(), ""]
    return lines


def tables(results, peers):
    sdks = {name: result for name, result in results.items() if name in peers and "client" in result}
    lines = sdk_tables(sdks, peers)
    if "nginx" in results:
        lines += proxy_table(results)
    if "real" in results:
        lines += real_tables(results["real"])
    return "\n".join(lines).rstrip() + "\n"


def write(results, peers):
    text = PAGE.read_text(encoding="utf-8")
    body = tables(results, peers)
    replaced, count = re.subn(r"(<!-- begin: tools/interop writes this -->\n).*?(<!-- end -->)",
                              lambda found: f"{found[1]}\n{body}\n{found[2]}", text, flags=re.S)
    if count != 1:
        raise RuntimeError(f"{PAGE} has no place for the tables")
    PAGE.write_text(replaced, encoding="utf-8")
    print(f"wrote the tables of {PAGE.relative_to(ROOT)}")
