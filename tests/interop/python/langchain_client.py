"""langchain-mcp-adapters against `lanyard serve --demo`; see checks.py for its arguments."""

import base64
import contextlib

from langchain_core.messages import ToolMessage
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.prompts import load_mcp_prompt
from langchain_mcp_adapters.resources import get_mcp_resource, load_mcp_resources
from langchain_mcp_adapters.tools import load_mcp_tools

import checks
from python1_client import on_elicitation

NOT_OFFERED = "the adapters do not offer it"


class LangChain(checks.Peer):
    """Tools, prompts and resources as LangChain sees them."""

    absent = {"cancel": NOT_OFFERED, "templates": NOT_OFFERED, "completion": NOT_OFFERED, "sampling": NOT_OFFERED,
              "roots": NOT_OFFERED, "changes": NOT_OFFERED}
    stack = session = loaded = None
    on_progress = None

    def __init__(self, *arguments):
        super().__init__(*arguments)

        async def on_log(params, _context):
            self.logs.append(params.level)

        async def on_progress(progress, total, message, _context):
            if self.on_progress:
                await self.on_progress(progress, total, message)

        async def on_question(context, params, _context):
            return await on_elicitation(context, params)

        if self.transport == "stdio":
            connection = {"transport": "stdio", "command": self.address, "args": self.arguments}
        else:
            connection = {"transport": "streamable_http", "url": self.address}
        self.client = MultiServerMCPClient({"demo": connection}, callbacks=Callbacks(
            on_logging_message=on_log, on_progress=on_progress, on_elicitation=on_question))

    async def __aenter__(self):
        self.stack = contextlib.AsyncExitStack()
        self.session = await self.stack.enter_async_context(self.client.session("demo"))
        self.loaded = {tool.name: tool for tool in await load_mcp_tools(
            self.session, callbacks=self.client.callbacks, server_name="demo", handle_tool_errors=True)}
        return self

    async def __aexit__(self, *failure):
        await self.stack.aclose()

    async def tools(self):
        return list(self.loaded)

    async def call(self, name, arguments, on_progress=None):
        self.on_progress = on_progress
        message = await self.loaded[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
        assert isinstance(message, ToolMessage)
        content = message.content if isinstance(message.content, list) else [{"type": "text", "text": message.content}]
        structured = message.artifact["structured_content"] if message.artifact else None
        return checks.Result([block["type"] for block in content], "".join(block.get("text", "") for block in content),
                             structured, message.status == "error")

    async def resources(self):
        return [str(blob.metadata["uri"]) for blob in await load_mcp_resources(self.session)]

    async def read(self, uri):
        blob = (await get_mcp_resource(self.session, uri))[0]
        if isinstance(blob.data, str):
            return blob.data
        return base64.b64encode(blob.data).decode()

    async def prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        return (await load_mcp_prompt(self.session, name, arguments=arguments))[0].content

    async def call_logging(self, name, level):
        await self.session.set_logging_level(level)
        await self.call(name, {})


if __name__ == "__main__":
    checks.main(LangChain)
