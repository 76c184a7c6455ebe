"""The client of the official Python SDK against `lanyard serve --demo`, in both eras: client_test.py PROGRAM.
LANYARD_TRANSPORT says what carries the messages: stdio, unless it is http."""

import os
import re
import subprocess
import sys
import unittest

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

PROGRAM = sys.argv.pop(1)


async def on_elicitation(context, params):
    if getattr(params, "mode", "form") == "url":
        return types.ElicitResult(action="accept")
    values = {"name": "Ada", "guests": 3, "place": "Bergen", "day": "2026-12-24"}
    asked = params.requested_schema["properties"]
    return types.ElicitResult(action="accept", content={key: values[key] for key in asked if key in values})


async def on_sampling(context, params):
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text="forty-two"), model="test-model")


async def on_roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///tmp/work", name="work")])


class DemoTest(unittest.IsolatedAsyncioTestCase):
    modes = ("legacy", "auto")

    def server(self):
        """Where a server of its own is."""
        if os.environ.get("LANYARD_TRANSPORT") != "http":
            return StdioServerParameters(command=PROGRAM, args=["serve", "--demo"])
        server = subprocess.Popen([PROGRAM, "serve", "--demo", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: self.assertEqual(server.wait(30), 0))
        self.addCleanup(server.terminate)
        self.addCleanup(server.stdout.close)
        return re.search(r"http://\S+", server.stdout.readline())[0]

    def client(self, mode, **options):
        return Client(self.server(), mode=mode, elicitation_callback=on_elicitation, sampling_callback=on_sampling,
                      list_roots_callback=on_roots, **options)

    @staticmethod
    def text(result):
        return result.content[0].text

    async def test_negotiates(self):
        for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
            async with self.client(mode) as client:
                self.assertEqual(client.protocol_version, version)
                self.assertEqual(client.server_info.name, "lanyard-demo")

    async def test_calls_tools(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                self.assertIn("count_down", tools)
                self.assertEqual(self.text(await client.call_tool("echo", {"text": "grün"})), "grün")
                result = await client.call_tool("add", {"a": 1, "b": 2})
                self.assertEqual(result.structured_content, {"sum": 3})
                self.assertTrue((await client.call_tool("fail", {})).is_error)
                self.assertTrue((await client.call_tool("add", {"a": 1})).is_error)
                with self.assertRaises(MCPError) as refused:
                    await client.call_tool("fail", {"way": "refusal"})
                self.assertEqual(refused.exception.error.code, 1001)

    async def test_reports_progress(self):
        for mode in self.modes:
            steps = []

            async def on_progress(progress, total, message):
                steps.append((progress, total, message))

            async with self.client(mode) as client:
                await client.call_tool("count_down", {"from": 3, "delay_ms": 20}, progress_callback=on_progress)
            self.assertEqual(steps, [(1, 3, "2 to go"), (2, 3, "1 to go"), (3, 3, "0 to go")])

    async def test_cancels(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                with anyio.move_on_after(0.3):
                    await client.call_tool("wait", {"seconds": 600})
                interrupted = "0"
                with anyio.fail_after(20):
                    while interrupted == "0":
                        interrupted = self.text(await client.call_tool("count_interrupted", {}))
                self.assertEqual(interrupted, "1")

    async def test_asks(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                self.assertEqual(self.text(await client.call_tool("book_table", {})),
                                 "a table for 3 in the name of Ada, inside")
                self.assertEqual(self.text(await client.call_tool("plan_trip", {})), "ticket 1: Bergen on 2026-12-24")
                self.assertEqual(self.text(await client.call_tool("ask_model", {"question": "?"})),
                                 "test-model says: forty-two")
                self.assertIn("file:///tmp/work", self.text(await client.call_tool("list_folders", {})))

    async def test_returns_content_of_every_kind(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                result = await client.call_tool("mix", {})
                self.assertEqual([block.type for block in result.content],
                                 ["text", "image", "audio", "resource_link", "resource"])

    async def test_reads_resources(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
                self.assertIn("demo://readme", uris)
                self.assertEqual(len((await client.list_resource_templates()).resource_templates), 2)
                result = await client.read_resource("demo://greeting/Ada")
                self.assertEqual(result.contents[0].text, "Hello, Ada!")
                with self.assertRaises(MCPError):
                    await client.read_resource("demo://nothing")

    async def test_gets_prompts_and_completes(self):
        for mode in self.modes:
            async with self.client(mode) as client:
                self.assertIn("review", [prompt.name for prompt in (await client.list_prompts()).prompts])
                result = await client.get_prompt("review", {"language": "rust", "code": "x"})
                self.assertIn("Rust", result.messages[0].content.text)
                completed = await client.complete(
                    types.PromptReference(type="ref/prompt", name="visit"), {"name": "city", "value": "O"},
                    context_arguments={"country": "norway"})
                self.assertEqual(completed.completion.values, ["Oslo"])

    async def test_hears_of_changes(self):
        async with self.client("auto") as client:
            async with client.listen(tools_list_changed=True, resource_subscriptions=["demo://counter"]) as events:
                await client.call_tool("increment", {})
                await client.call_tool("set_extras", {"on": True})
                seen = set()
                with anyio.fail_after(20):
                    async for event in events:
                        seen.add(type(event).__name__)
                        if seen == {"ResourceUpdated", "ToolsListChanged"}:
                            break


if __name__ == "__main__":
    unittest.main()
