"""The client of FastMCP, version 2, 3 or 4, against `lanyard serve --demo`; see checks.py for its arguments."""

import os
import pathlib

import anyio
import fastmcp
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport

import checks

VERSION = int(fastmcp.__version__.split(".", maxsplit=1)[0])
if VERSION < 4:
    from mcp import types
    from python1_client import cancel_newest, change_of
else:
    import mcp_types as types
    from python2_client import change_of


async def on_elicitation(_message, _response_type, params, _context):
    if getattr(params, "mode", "form") == "url":
        return ElicitResult(action="accept")
    return checks.form_answer(getattr(params, "requested_schema", None) or params.requestedSchema)


async def on_sampling(_messages, _params, _context):
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text="forty-two"), model="test-model")


class FastMCP(checks.Peer):
    client = None

    def __init__(self, *arguments):
        super().__init__(*arguments)

        async def on_log(message):
            self.logs.append(message.level)

        async def on_message(message):
            if change := change_of(getattr(message, "root", message)):
                self.changes.append(change)

        server = self.address
        if self.transport == "stdio":
            server = StdioTransport(self.address, self.arguments, log_file=pathlib.Path(os.devnull))
        mode = {} if VERSION < 4 else {"mode": "legacy" if self.era == "legacy" else "auto"}
        self.client = Client(server, roots=["file:///tmp/work"], sampling_handler=on_sampling,
                             elicitation_handler=on_elicitation, log_handler=on_log, message_handler=on_message, **mode)

    async def __aenter__(self):
        await self.client.__aenter__()
        if VERSION >= 4:
            checks.equal(self.client.protocol_version, "2025-11-25" if self.era == "legacy" else "2026-07-28")
        return self

    async def __aexit__(self, *failure):
        await self.client.__aexit__(None, None, None)

    async def tools(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def call(self, name, arguments, on_progress=None):
        result = await self.client.call_tool_mcp(name, arguments, progress_handler=on_progress)
        return checks.Result.of(result)

    async def call_cancelled(self, name, arguments):
        if VERSION >= 4:
            await super().call_cancelled(name, arguments)
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.call, name, arguments)
            await cancel_newest(self.client.session)
            tasks.cancel_scope.cancel()

    async def resources(self):
        return [str(resource.uri) for resource in await self.client.list_resources()]

    async def templates(self):
        return [getattr(each, "uri_template", None) or each.uriTemplate
                for each in await self.client.list_resource_templates()]

    async def read(self, uri):
        contents = (await self.client.read_resource(uri))[0]
        return contents.text if hasattr(contents, "text") else contents.blob

    async def prompts(self):
        return [prompt.name for prompt in await self.client.list_prompts()]

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt, name, value, context=None):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return (await self.client.complete(reference, {"name": name, "value": value}, context)).values

    async def call_logging(self, name, level):
        meta = {}
        if self.era == "legacy":
            await self.client.set_logging_level(level)
        else:
            meta = {"meta": {"io.modelcontextprotocol/logLevel": level}}
        await self.client.call_tool_mcp(name, {}, **meta)

    async def watch(self, uri):
        if self.era == "legacy":
            await self.client.session.subscribe_resource(uri)


if __name__ == "__main__":
    checks.main(FastMCP)
