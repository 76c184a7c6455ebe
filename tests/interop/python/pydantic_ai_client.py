"""The MCP toolset of pydantic-ai against `lanyard serve --demo`; see checks.py for its arguments."""

import base64
import os
import pathlib

from fastmcp.client.transports import StdioTransport
from pydantic_ai import BinaryContent
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.mcp import MCPToolset

import checks
from fastmcp_client import on_elicitation, on_sampling
from python2_client import change_of

NOT_OFFERED = "the toolset does not offer it"


class PydanticAi(checks.Peer):
    absent = {"completion": NOT_OFFERED}
    subscribes = False
    media_kinds = ["str", "BinaryImage", "BinaryContent", "str", "str"]  # links and resources become text
    on_progress = None

    def __init__(self, *arguments):
        super().__init__(*arguments)

        async def on_log(message):
            if message.level not in ("debug", "info", "notice"):  # a modern session ignores log_level
                self.logs.append(message.level)

        async def on_progress(progress, total, message):
            if self.on_progress:
                await self.on_progress(progress, total, message)

        async def on_message(message):
            if change := change_of(message):
                self.changes.append(change)

        server = self.address
        if self.transport == "stdio":
            server = StdioTransport(self.address, self.arguments, log_file=pathlib.Path(os.devnull))
        self.toolset = MCPToolset(server, tool_error_behavior="failed", sampling_handler=on_sampling,
                                  elicitation_handler=on_elicitation, log_handler=on_log, log_level="warning",
                                  progress_handler=on_progress, message_handler=on_message, roots=["file:///tmp/work"])

    async def __aenter__(self):
        await self.toolset.__aenter__()
        return self

    async def __aexit__(self, *failure):
        await self.toolset.__aexit__(None, None, None)

    async def tools(self):
        return [tool.name for tool in await self.toolset.list_tools()]

    async def call(self, name, arguments, on_progress=None):
        self.on_progress = on_progress
        try:
            value = await self.toolset.direct_call_tool(name, arguments)
        except ToolFailed as failure:
            return checks.Result(["text"], str(failure), None, True)
        values = value if isinstance(value, list) else [value]
        return checks.Result([type(each).__name__ for each in values],
                             "".join(str(each) for each in values if isinstance(each, (str, int))),
                             value if isinstance(value, dict) else None)

    async def resources(self):
        return [str(resource.uri) for resource in await self.toolset.list_resources()]

    async def templates(self):
        return [each.uri_template for each in await self.toolset.list_resource_templates()]

    async def read(self, uri):
        contents = await self.toolset.read_resource(uri)
        return base64.b64encode(contents.data).decode() if isinstance(contents, BinaryContent) else contents

    async def prompts(self):
        return [prompt.name for prompt in await self.toolset.list_prompts()]

    async def prompt(self, name, arguments):
        return (await self.toolset.get_prompt(name, arguments)).messages[0].content.content

    async def call_logging(self, name, level):
        await self.call(name, {})  # the level was set when the toolset was created

    async def watch(self, uri):
        pass  # notifications of changed lists arrive without a subscription


if __name__ == "__main__":
    checks.main(PydanticAi)
