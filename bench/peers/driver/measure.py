"""Runs the load generator over every peer, mode and call."""

import json
import os
import platform
import statistics
import subprocess

from install import ROOT

# The measurements of each mode: call, concurrent calls (over HTTP: connections), calls per second (0: closed loop).
HTTP = [("echo", 8, 0), ("add", 8, 0), ("list", 8, 0), ("text", 8, 0)]
HTTP_RATES = [("echo", 32, 200), ("echo", 32, 2000)]
ROWS = {
    "stateful": HTTP + HTTP_RATES,
    "stateless": HTTP,
    "modern": HTTP + HTTP_RATES,
    "stdio": [("echo", 1, 0), ("echo", 64, 0), ("add", 1, 0), ("add", 64, 0), ("list", 1, 0), ("text", 1, 0),
              ("echo", 128, 2000)],
    "stdio-modern": [("echo", 1, 0), ("echo", 64, 0)],
}
TOOLS = {"echo": "plain", "add": "plain", "list": "list", "text": "text"}
ERAS = {"stdio": "session", "stateful": "session", "stateless": "stateless", "modern": "modern",
        "stdio-modern": "modern"}


def rows():
    """Every (mode, call, width, rate) that is measured, in the order of the page."""
    return [(mode, *row) for mode, some in ROWS.items() for row in some]


def cores():
    """Returns the cores of the server and of the load: different ones if there are two."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[0], usable[min(1, len(usable) - 1)]


def command_of(peer, row, seconds, warm_up):
    mode, call, width, rate = row
    server, load = cores()
    if mode.startswith("stdio") and rate == 0:
        load = server  # On the same core, a write of one end wakes the other directly.
    command = [str(ROOT / "build/release/bin/bench-load"), "--call", call, "--mode", ERAS[mode],
               "--width", str(width), "--seconds", str(seconds), "--warm-up", str(warm_up),
               "--server-core", str(server), "--load-core", str(load)]
    if rate > 0:
        command += ["--rate", str(rate)]
    if not peer["checked"]:
        command.append("--unchecked")
    words = {"{tools}": TOOLS[call], "{call}": call}
    return command + ["--"] + [words.get(word, word) for word in peer["modes"][mode]]


def run_once(peer, row, seconds, warm_up):
    """The figures of one run, or {"error": ...}."""
    try:
        done = subprocess.run(command_of(peer, row, seconds, warm_up), env=peer["environment"], capture_output=True,
                              text=True, timeout=120 + 5 * (seconds + warm_up))
    except subprocess.TimeoutExpired:
        return {"error": "no end"}
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        ours = [line for line in said if line.startswith("bench-load:")]
        return {"error": (ours or said or ["no figures"])[-1][:400]}
    return json.loads(done.stdout)


def summary(runs):
    """Combines the runs of one row: least and median."""
    good = [run for run in runs if "error" not in run]
    if not good:
        return {"error": runs[0]["error"]}

    def least(key):
        return min(run[key] for run in good)

    def median(key):
        return statistics.median(run[key] for run in good)

    shown = {"cpu_us": least("cpu_us"), "cpu_us_median": median("cpu_us"),
             "calls_per_second": max(run["calls_per_second"] for run in good),
             "calls_per_second_median": median("calls_per_second"), "answer_bytes": good[0]["answer_bytes"],
             "start_ms": least("start_ms"), "resident_mib": median("resident_mib"),
             "unanswered": max(run["unanswered"] for run in good)}
    for share in good[0]["latency_us"]:
        values = [run["latency_us"][share] for run in good]
        shown[share] = min(values)
        shown[share + "_median"] = statistics.median(values)
    return shown


def machine():
    """Describes the machine."""
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="utf-8") as lines:
        memory = round(int(lines.readline().split()[1]) / 1024 / 1024)
    return {"cpu": model, "cores": os.cpu_count(), "memory_gib": memory, "kernel": platform.release(),
            "system": platform.platform()}
