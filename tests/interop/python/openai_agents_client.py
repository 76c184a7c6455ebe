"""openai-agents against `lanyard serve --demo`; see checks.py for its arguments."""

import asyncio

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

import checks
from python2_client import change_of

NOT_OFFERED = "openai-agents does not offer it"


class OpenAiAgents(checks.Peer):
    absent = {"progress": NOT_OFFERED, "completion": NOT_OFFERED, "elicitation": NOT_OFFERED, "sampling": NOT_OFFERED,
              "roots": NOT_OFFERED, "log": NOT_OFFERED}
    subscribes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)

        async def on_message(message):
            if change := change_of(message):
                self.changes.append(change)

        options = {"client_session_timeout_seconds": 30, "message_handler": on_message}
        if self.transport == "stdio":
            self.server = MCPServerStdio(params={"command": self.address, "args": self.arguments}, **options)
        else:
            self.server = MCPServerStreamableHttp(params={"url": self.address}, **options)

    async def __aenter__(self):
        await self.server.connect()
        return self

    async def __aexit__(self, *failure):
        await self.server.cleanup()

    async def tools(self):
        return [tool.name for tool in await self.server.list_tools()]

    async def call(self, name, arguments, on_progress=None):
        return checks.Result.of(await self.server.call_tool(name, arguments))

    async def call_cancelled(self, name, arguments):
        task = asyncio.create_task(self.call(name, arguments))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])

    async def resources(self):
        return [str(resource.uri) for resource in (await self.server.list_resources()).resources]

    async def templates(self):
        return [each.uri_template for each in (await self.server.list_resource_templates()).resource_templates]

    async def read(self, uri):
        contents = (await self.server.read_resource(uri)).contents[0]
        return contents.text if hasattr(contents, "text") else contents.blob

    async def prompts(self):
        return [prompt.name for prompt in (await self.server.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        return (await self.server.get_prompt(name, arguments)).messages[0].content.text

    async def watch(self, uri):
        pass  # notifications of changed lists arrive without a subscription


if __name__ == "__main__":
    checks.main(OpenAiAgents)
