"""Tests the driver's arithmetic, tables, verdicts and plots with made-up figures."""

import unittest
import xml.etree.ElementTree

import install
import measure
import plot
import report


def run_of(cpu, p99=100.0, **more):
    return {"cpu_us": cpu, "calls_per_second": 1e6 / cpu, "answer_bytes": 10, "start_ms": cpu, "resident_mib": cpu,
            "unanswered": 0, "latency_us": {"p50": p99 / 2, "p90": p99, "p99": p99, "p999": p99, "max": p99}, **more}


def row_of(peer, *cpu, mode="modern", call="echo", width=8, rate=0, p99=100.0):
    return {"peer": peer, "mode": mode, "call": call, "width": width, "rate": rate,
            **measure.summary([run_of(each, p99) for each in cpu])}


def results_of(*rows):
    names = {"floor": "floor", "lanyard": "Lanyard", "other": "Other <SDK>"}
    return {"date": "2026-01-01", "commit": "abc", "options": {"runs": 3, "seconds": 1.0, "warm_up": 2.0},
            "machine": {"cpu": "x", "cores": 2, "memory_gib": 1, "system": "y"}, "left_out": {"java-sdk": "it needs Java"},
            "peers": {name: {"title": title, "versions": {}} for name, title in names.items()}, "rows": list(rows)}


class Summary(unittest.TestCase):
    def test_shows_least_and_median(self):
        row = row_of("other", 9.0, 5.0, 7.0)
        self.assertEqual((row["cpu_us"], row["cpu_us_median"]), (5.0, 7.0))
        self.assertEqual(row["calls_per_second"], 2e5)

    def test_leaves_failed_runs_out_and_reports_a_row_without_any_other(self):
        self.assertEqual(measure.summary([{"error": "x"}, run_of(3.0)])["cpu_us"], 3.0)
        self.assertEqual(measure.summary([{"error": "x"}, {"error": "y"}]), {"error": "x"})


class Command(unittest.TestCase):
    def test_fills_in_the_values_of_a_row_and_pins_both_ends(self):
        peer = {"checked": False, "modes": {"modern": ["server", "{tools}", "{call}", "{port}"]}}
        command = measure.command_of(peer, ("modern", "add", 8, 200), 1, 2)
        self.assertEqual(command[command.index("--") + 1:], ["server", "plain", "add", "{port}"])
        self.assertIn("--unchecked", command)
        self.assertEqual(command[command.index("--rate") + 1], "200")
        server, load = measure.cores()
        self.assertEqual(command[command.index("--server-core") + 1], str(server))
        self.assertEqual(command[command.index("--load-core") + 1], str(load))

    def test_compares_versions_by_number(self):
        self.assertEqual(install.need("x", "1.25.3", "1.9"), "1.25.3")
        for found in (None, "1.8.9"):
            with self.assertRaises(install.Missing):
                install.need("x", found, "1.9")

    def test_every_peer_has_modes_that_are_measured(self):
        for name in install.names():
            text = (install.PEERS / name / "peer.json").read_text(encoding="utf-8")
            peer = install.json.loads(text)
            self.assertLessEqual(set(peer["modes"]), set(report.MODES), name)
            self.assertIn(peer["kind"], install.KINDS, name)
            self.assertIn(f"## {name}\n", (install.PEERS / "README.md").read_text(encoding="utf-8"))


class Report(unittest.TestCase):
    def setUp(self):
        self.lead = [row_of("other", 60.0), row_of("floor", 5.0), row_of("lanyard", 6.0)]

    def test_orders_by_cost_with_ratios_to_floor_and_lanyard(self):
        results = results_of(*self.lead)
        (key, rows), = report.scenarios(results).items()
        _, body = report.cells(results, key, rows)
        self.assertEqual([line[0] for line in body], ["floor", "Lanyard", "Other <SDK>"])
        self.assertEqual(body[1][-2:], ["1.20x", "1.00x"])
        self.assertEqual(body[2][-2:], ["12x", "10x"])

    def test_names_the_leader(self):
        results = results_of(*self.lead)
        (key, rows), = report.scenarios(results).items()
        sentence, leads = report.verdict(results, key, rows)
        self.assertTrue(leads)
        self.assertIn("10x as much", sentence)
        self.assertIn("in 1 of 1 rows.", report.standings(results))

    def test_shows_that_a_peer_wins(self):
        results = results_of(row_of("other", 3.0), row_of("lanyard", 6.0))
        (key, rows), = report.scenarios(results).items()
        sentence, leads = report.verdict(results, key, rows)
        self.assertFalse(leads)
        self.assertIn("**Other <SDK> wins here**: 3.00 us; Lanyard takes 6.00 us, 2.00x as much.", sentence)
        self.assertIn("0 of 1 rows; a peer wins the others: Other <SDK>", report.standings(results))
        self.assertIn("wins here", report.page(results))
        self.assertIn("wins here", report.terminal(results))

    def test_judges_a_fixed_rate_by_its_p99(self):
        results = results_of(row_of("other", 3.0, rate=200, p99=90.0), row_of("lanyard", 6.0, rate=200, p99=80.0))
        (key, rows), = report.scenarios(results).items()
        self.assertTrue(report.verdict(results, key, rows)[1])

    def test_compares_with_targets_in_the_row_with_the_smallest_lead(self):
        results = results_of(row_of("other", 30.0), row_of("lanyard", 6.0), row_of("other", 12.0, call="add"),
                             row_of("lanyard", 6.0, call="add"), row_of("other", 9.0, mode="stdio", call="add", width=1))
        found = {words: (limit, ratio) for words, limit, ratio in report.targets(results)}
        self.assertEqual(found["`echo` and `add` over HTTP, the fastest other"], (3, 2.0))
        self.assertEqual(found["`echo` and `add` over stdio, TypeScript"], (10, None))
        self.assertIn("| >= 3x | 2.00x | **no** |", report.page(results))

    def test_names_failures_and_omitted_peers(self):
        failed = {"peer": "other", "mode": "stdio", "call": "text", "width": 1, "rate": 0, "error": "not the text"}
        results = results_of(*self.lead, failed)
        for text in (report.page(results), report.terminal(results)):
            self.assertIn("Other <SDK>, stdio (2025-11-25), 1 MB of text: not the text", text)
        self.assertIn("Left out: java-sdk, it needs Java.", report.page(results))


class Plot(unittest.TestCase):
    def test_is_well_formed_with_a_bar_for_every_figure(self):
        drawn = report.plots(results_of(row_of("other", 60.0), row_of("floor", 5.0), row_of("lanyard", 6.0)))
        self.assertEqual(list(drawn), ["modern-cpu.svg"])
        root = xml.etree.ElementTree.fromstring(drawn["modern-cpu.svg"])
        found = root.findall("{http://www.w3.org/2000/svg}rect")
        widths = sorted(float(bar.get("width")) for bar in found[1:])
        self.assertEqual(len(widths), 3)
        self.assertLess(widths[0], widths[1])

    def test_has_an_axis_that_holds_all(self):
        self.assertEqual(plot.axis([5.0, 60.0]), (0, 2))
        self.assertEqual(plot.axis([1.0]), (0, 1))
        self.assertEqual([plot.shown(value) for value in (0.123, 12.34, 1234.5)], ["0.12", "12.3", "1,234"])


def run():
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__("self_test"))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
