"""The client of the Python SDK, version 2, against `lanyard serve --demo`; see checks.py for its arguments."""

import contextlib

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

import checks

EVENTS = {"ToolsListChanged": "tools", "PromptsListChanged": "prompts", "ResourcesListChanged": "resources"}


async def on_elicitation(_context, params):
    content = None if getattr(params, "mode", "form") == "url" else checks.form_answer(params.requested_schema)
    return types.ElicitResult(action="accept", content=content)


async def on_sampling(_context, _params):
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text="forty-two"), model="test-model")


async def on_roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///tmp/work", name="work")])


def change_of(message):
    """The list or URI that a notification of the SDK reports as changed, or None."""
    match message:
        case types.ToolListChangedNotification():
            return "tools"
        case types.PromptListChangedNotification():
            return "prompts"
        case types.ResourceListChangedNotification():
            return "resources"
        case types.ResourceUpdatedNotification():
            return str(message.params.uri)
    return None


class Python2(checks.Peer):
    stack = client = tasks = None

    async def __aenter__(self):
        async def on_log(params):
            self.logs.append(params.level)

        async def on_message(message):
            if change := change_of(message):
                self.changes.append(change)

        server = self.address
        if self.transport == "stdio":
            server = StdioServerParameters(command=self.address, args=self.arguments)
        self.stack = contextlib.AsyncExitStack()
        self.client = await self.stack.enter_async_context(Client(
            server, mode="legacy" if self.era == "legacy" else "auto", elicitation_callback=on_elicitation,
            sampling_callback=on_sampling, list_roots_callback=on_roots, logging_callback=on_log,
            message_handler=on_message))
        checks.equal(self.client.protocol_version, "2025-11-25" if self.era == "legacy" else "2026-07-28")
        self.tasks = await self.stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(self, *failure):
        self.tasks.cancel_scope.cancel()
        await self.stack.aclose()

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, name, arguments, on_progress=None):
        return checks.Result.of(await self.client.call_tool(name, arguments, progress_callback=on_progress))

    async def resources(self):
        return [str(resource.uri) for resource in (await self.client.list_resources()).resources]

    async def templates(self):
        return [each.uri_template for each in (await self.client.list_resource_templates()).resource_templates]

    async def read(self, uri):
        contents = (await self.client.read_resource(uri)).contents[0]
        return contents.text if hasattr(contents, "text") else contents.blob

    async def prompts(self):
        return [prompt.name for prompt in (await self.client.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt, name, value, context=None):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        completed = await self.client.complete(reference, {"name": name, "value": value}, context_arguments=context)
        return completed.completion.values

    async def call_logging(self, name, level):
        if self.era == "legacy":
            await self.client.set_logging_level(level)
            await self.client.call_tool(name, {})
        else:
            await self.client.call_tool(name, {}, meta={"io.modelcontextprotocol/logLevel": level})

    async def watch(self, uri):
        if self.era == "legacy":
            await self.client.subscribe_resource(uri)
        else:
            await self.tasks.start(self.listen, uri)

    async def listen(self, uri, task_status):
        async with self.client.listen(tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True,
                                      resource_subscriptions=[uri]) as events:
            task_status.started()
            async for event in events:
                name = type(event).__name__
                self.changes.append(EVENTS[name] if name in EVENTS else str(event.uri))


if __name__ == "__main__":
    checks.main(Python2)
