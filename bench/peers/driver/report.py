"""Tables and sentences about the results, for the terminal and for the page docs/benchmarks.md."""

from plot import bars, shown

MODES = {
    "stateful": "HTTP with sessions (2025-11-25)",
    "stateless": "HTTP without sessions (2025-11-25)",
    "modern": "HTTP (2026-07-28)",
    "stdio": "stdio (2025-11-25)",
    "stdio-modern": "stdio (2026-07-28)",
}
CALLS = {"echo": "`echo`", "add": "`add`", "list": "`tools/list`, 80 tools", "text": "1 MB of text"}


def key_of(row):
    return row["mode"], row["call"], row["width"], row["rate"]


def scenarios(results):
    """Key and {peer: row} of everything that was measured, in the order of the runs."""
    grouped = {}
    for row in results["rows"]:
        grouped.setdefault(key_of(row), {})[row["peer"]] = row
    return grouped


def title_of(results, name):
    return results["peers"][name]["title"]


def name_of(key):
    mode, call, width, rate = key
    if rate:
        return f"{CALLS[call]} at {rate:,} calls a second"
    if mode.startswith("stdio"):
        return f"{CALLS[call]}, {width} in flight" if call in ("echo", "add") else CALLS[call]
    return CALLS[call]


def times(value):
    return f"{value:.2f}x" if value < 10 else f"{value:,.0f}x"


def ratio(row, rows, other, figure):
    """Returns the ratio to what the other peer needs, or None."""
    base = rows.get(other, {}).get(figure)
    return row[figure] / base if base else None


def ordered(rows, figure):
    """Returns the rows with figures: the floor first, then in ascending order."""
    good = [row for row in rows.values() if "error" not in row]
    return sorted(good, key=lambda row: (row["peer"] != "floor", row[figure]))


def cells(results, key, rows):
    """Head and body of the table of one scenario."""
    latency = key[3] > 0
    figure = "p99" if latency else "cpu_us"
    if latency:
        head = ["server", "p50 us", "p90 us", "p99 us", "p99.9 us", "max us", "CPU us", "unanswered"]
    else:
        head = ["server", "CPU us, least", "median", "calls/s", "answer B"]
    head += ["to floor", "to Lanyard"]
    body = []
    for row in ordered(rows, figure):
        if latency:
            line = [shown(row[share]) for share in ("p50", "p90", "p99", "p999", "max")]
            line += [shown(row["cpu_us"]), f"{row['unanswered']:,}" if row["unanswered"] else "–"]
        else:
            line = [shown(row["cpu_us"]), shown(row["cpu_us_median"]), f"{row['calls_per_second']:,.0f}",
                    f"{row['answer_bytes']:,}"]
        for other in ("floor", "lanyard"):
            against = ratio(row, rows, other, figure)
            line.append("–" if against is None else times(against))
        body.append([title_of(results, row["peer"])] + line)
    return head, body


def verdict(results, key, rows):
    """Returns a sentence about the peer that leads a scenario, and whether Lanyard leads (None if it was not measured
    or was alone)."""
    figure, what = ("p99", "the lowest p99") if key[3] else ("cpu_us", "the least CPU")
    peers = [row for row in ordered(rows, figure) if row["peer"] != "floor"]
    if len(peers) < 2 or not any(row["peer"] == "lanyard" for row in peers):
        return None, None
    first, second = peers[0], peers[1]
    if first["peer"] == "lanyard":
        return (f"Lanyard has {what}: {shown(first[figure])} us, {title_of(results, second['peer'])} comes next with "
                f"{times(second[figure] / first[figure])} as much.", True)
    own = rows["lanyard"][figure]
    return (f"**{title_of(results, first['peer'])} wins here**: {shown(first[figure])} us; Lanyard takes {shown(own)} us, "
            f"{times(own / first[figure])} as much.", False)


def least_of(rows, wanted):
    """Returns the least CPU time of the wanted peers, or None."""
    return min((row["cpu_us"] for name, row in rows.items() if "error" not in row and wanted(name)), default=None)


def targets(results):
    """Lanyard's targets: a description, the factor that the others should take more, and the least that they do take
    (None if nothing was measured)."""
    def typescript(name):
        return name.startswith("typescript")

    def other(name):
        return name not in ("floor", "lanyard")

    out = []
    for words, stdio, calls, wanted, limit in (
            ("`echo` and `add` over HTTP, TypeScript", False, ("echo", "add"), typescript, 40),
            ("`echo` and `add` over HTTP, the fastest other", False, ("echo", "add"), other, 3),
            ("`echo` and `add` over stdio, TypeScript", True, ("echo", "add"), typescript, 10),
            ("`tools/list` and 1 MB over HTTP, the fastest other", False, ("list", "text"), other, 1),
            ("`tools/list` and 1 MB over stdio, the fastest other", True, ("list", "text"), other, 1)):
        ratios = []
        for (mode, call, _, rate), rows in scenarios(results).items():
            least = least_of(rows, wanted)
            own = rows.get("lanyard", {}).get("cpu_us")
            if rate == 0 and mode.startswith("stdio") == stdio and call in calls and least and own:
                ratios.append(least / own)
        out.append((words, limit, min(ratios, default=None)))
    return out


def targets_table(results):
    body = [[words, f">= {limit}x", "–" if found is None else times(found),
             "–" if found is None else "yes" if found >= limit else "**no**"] for words, limit, found in targets(results)]
    return markdown_table(["CPU of others against Lanyard, in the row with the smallest ratio", "wanted", "measured", "reached"], body)


def failures(results):
    return [f"{title_of(results, row['peer'])}, {MODES[row['mode']]}, {name_of(key_of(row))}: {row['error']}"
            for row in results["rows"] if "error" in row]


def terminal(results):
    """All tables as plain text."""
    out = []
    for key, rows in scenarios(results).items():
        head, body = cells(results, key, rows)
        if not body:
            continue
        widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]
        out.append(f"\n{MODES[key[0]]}: {name_of(key).replace('`', '')}")
        for line in [head] + body:
            first, *others = (word.rjust(size) for word, size in zip(line, widths))
            out.append("  " + first.strip().ljust(widths[0]) + "  " + "  ".join(others))
        sentence, _ = verdict(results, key, rows)
        if sentence:
            out.append("  " + sentence.replace("*", ""))
    out += [f"FAILED: {line}" for line in failures(results)]
    return "\n".join(out)


def markdown_table(head, body):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(line) + " |" for line in body])


def standings(results):
    """The page's first paragraph: how often Lanyard leads, and every scenario in which it does not."""
    led, lost = {True: 0, False: 0}, {True: [], False: []}
    total = {True: 0, False: 0}
    for key, rows in scenarios(results).items():
        _, leads = verdict(results, key, rows)
        if leads is None:
            continue
        latency = key[3] > 0
        total[latency] += 1
        led[latency] += leads
        if not leads:
            figure = "p99" if latency else "cpu_us"
            first = next(row for row in ordered(rows, figure) if row["peer"] != "floor")
            lost[latency].append(f"{title_of(results, first['peer'])} ({MODES[key[0]]}, {name_of(key)})")
    sentences = []
    for latency, what in ((False, "uses the least CPU per call"), (True, "has the lowest p99 at a fixed rate")):
        if not total[latency]:
            continue
        sentence = f"Lanyard {what} in {led[latency]} of {total[latency]} rows"
        if lost[latency]:
            sentence += "; a peer wins the others: " + "; ".join(lost[latency])
        sentences.append(sentence + ".")
    return " ".join(sentences)


def start_table(results):
    """Start and memory, from the rows of echo."""
    body = []
    for name, peer in results["peers"].items():
        line = [peer["title"]]
        for mode, width in (("stdio", 1), ("stateful", 8)):
            found = [row for row in results["rows"] if "error" not in row and row["peer"] == name and
                     key_of(row) == (mode, "echo", width, 0)]
            line += [shown(found[0]["start_ms"]), shown(found[0]["resident_mib"])] if found else ["–", "–"]
        body.append(line)
    return markdown_table(["server", "start ms, stdio", "memory MiB, stdio", "start ms, HTTP", "memory MiB, HTTP"], body)


def plots(results):
    """File name -> SVG."""
    out = {}
    grouped = scenarios(results)
    for mode, name in MODES.items():
        for kind, title in (("cpu", "CPU per call, microseconds (log scale)"),
                            ("latency", "p99 latency at a fixed rate, microseconds (log scale)")):
            figure = "p99" if kind == "latency" else "cpu_us"
            panels, seen = [], set()
            for key, rows in grouped.items():
                if key[0] == mode and (key[3] > 0) == (kind == "latency"):
                    good = {peer: row[figure] for peer, row in rows.items() if "error" not in row}
                    seen |= set(good)
                    panels.append((name_of(key).replace("`", ""), good))
            if panels:
                peers = [(peer, title_of(results, peer)) for peer in results["peers"] if peer in seen]
                out[f"{mode}-{kind}.svg"] = bars(f"{name}: {title}", peers, panels)
    return out


HOW = """\
One load generator, `bench-load` (`bench/load/`), starts each server, calls it, checks every answer (its id, that it is
no error, the text or the sum or the number of tools) and prints figures. Servers run on one core and the load
on another; over stdio in the closed loop both share one, as what one end writes wakes the other up there. CPU is that of the
server's process, all its threads and children, as the scheduler counts it. Each row is run {runs} times for {seconds:g} s with a
fresh server, after at least {warm_up:g} s of warming up (more for a virtual machine that compiles while it runs); the least and
the median are shown, and the most calls a second.

- Closed loop: the next call is sent when one is answered. HTTP has 8 connections that stay open (with sessions, one
  session each).
- Fixed rate: calls are sent when they are due, whatever the server does, and latency counts from when a call was due, so that
  a server that stalls is charged for all that came meanwhile (no coordinated omission).
- *floor* does the least there is to do: epoll, read, write fixed bytes; over pipes, read and write. It reads no
  JSON and checks nothing. `to floor` and `to Lanyard` are ratios of the least CPU (at a fixed rate: of p99).

The servers are in `bench/peers/`, each in its best practical configuration; `bench/peers/README.md` says which. Every
server has the tools of a row and no others: `echo` and `add` (structured result), 80 tools (30 KB) for `tools/list`, or one that gives
1,000,000 bytes of text.
"""


def page(results):
    """docs/benchmarks.md."""
    machine, options = results["machine"], results["options"]
    out = ["# Benchmarks", "",
           "Lanyard and the SDKs of other languages, side by side. `make bench-peers` has measured this, installs everything "
           "it needs and writes this page; nothing here is edited by hand. The figures as JSON: "
           "[results.json](benchmarks/results.json).", "",
           standings(results), "", targets_table(results), "", "## How", "", HOW.format(**options),
           f"Measured on {results['date']} at commit {results['commit']}: {machine['cpu']}, {machine['cores']} cores, "
           f"{machine['memory_gib']} GiB, {machine['system']}.", ""]
    versions = [[peer["title"], ", ".join(f"{name} {version}" for name, version in peer["versions"].items()) or "this commit"]
                for name, peer in results["peers"].items() if name != "floor"]
    out += ["| server | versions |", "|---|---|"] + [f"| {name} | {what} |" for name, what in versions] + [""]
    out += [f"Left out: {name}, {why}." for name, why in results["left_out"].items()]
    out += [f"Failed: {line}." for line in failures(results)]
    drawn = plots(results)
    grouped = scenarios(results)
    for mode, name in MODES.items():
        mine = {key: rows for key, rows in grouped.items() if key[0] == mode}
        if not mine:
            continue
        out += ["", f"## {name}", ""]
        for kind, words in (("cpu", "CPU per call"), ("latency", "p99 latency")):
            if f"{mode}-{kind}.svg" in drawn:
                out += [f"![{name}: {words}](benchmarks/{mode}-{kind}.svg)", ""]
        for key, rows in mine.items():
            head, body = cells(results, key, rows)
            if not body:
                continue
            label = name_of(key)
            out += [f"### {label[0].upper() + label[1:]}", ""]
            sentence, _ = verdict(results, key, rows)
            out += [sentence, ""] if sentence else []
            out += [markdown_table(head, body), ""]
    out += ["## Start and memory", "",
            "From the start of the process to its first answers (over HTTP: to 8 sessions, one call each), and its memory after "
            "the run.", "", start_table(results), ""]
    return "\n".join(out)
