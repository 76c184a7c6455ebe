"""The client of the Python SDK, version 1, against `lanyard serve --demo`; see checks.py for its arguments."""

import contextlib
import os

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

import checks


async def on_elicitation(_context, params):
    content = None if getattr(params, "mode", "form") == "url" else checks.form_answer(params.requestedSchema)
    return types.ElicitResult(action="accept", content=content)


async def on_sampling(_context, _params):
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text="forty-two"), model="test-model")


async def on_roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///tmp/work", name="work")])


def change_of(notification):
    """The list or URI that a notification of the SDK reports as changed, or None."""
    match notification:
        case types.ToolListChangedNotification():
            return "tools"
        case types.PromptListChangedNotification():
            return "prompts"
        case types.ResourceListChangedNotification():
            return "resources"
        case types.ResourceUpdatedNotification():
            return str(notification.params.uri)
    return None


@contextlib.asynccontextmanager
async def connect(transport, address, arguments, **callbacks):
    """Opens a session with the server."""
    if transport == "stdio":
        streams = stdio_client(StdioServerParameters(command=address, args=arguments), errlog=open(os.devnull, "w"))
    else:
        streams = streamable_http_client(address)
    async with streams as (read, write, *_):
        async with ClientSession(read, write, **callbacks) as session:
            await session.initialize()
            yield session


async def cancel_newest(session):
    """Sends the cancellation of the newest request: version 1 of the SDK has no function for it."""
    await anyio.sleep(0.5)
    params = types.CancelledNotificationParams(requestId=session._request_id - 1)
    await session.send_notification(types.ClientNotification(
        types.CancelledNotification(method="notifications/cancelled", params=params)))


class SessionPeer(checks.Peer):
    """All features of a ClientSession."""

    session = None

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments, on_progress=None):
        return checks.Result.of(await self.session.call_tool(name, arguments, progress_callback=on_progress))

    async def call_cancelled(self, name, arguments):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.call, name, arguments)
            await cancel_newest(self.session)
            tasks.cancel_scope.cancel()

    async def resources(self):
        return [str(resource.uri) for resource in (await self.session.list_resources()).resources]

    async def templates(self):
        return [each.uriTemplate for each in (await self.session.list_resource_templates()).resourceTemplates]

    async def read(self, uri):
        contents = (await self.session.read_resource(AnyUrl(uri))).contents[0]
        return contents.text if hasattr(contents, "text") else contents.blob

    async def prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        return (await self.session.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt, name, value, context=None):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return (await self.session.complete(reference, {"name": name, "value": value}, context)).completion.values

    async def call_logging(self, name, level):
        await self.session.set_logging_level(level)
        await self.session.call_tool(name, {})

    async def watch(self, uri):
        await self.session.subscribe_resource(AnyUrl(uri))


class Python1(SessionPeer):
    stack = None

    async def __aenter__(self):
        async def on_log(params):
            self.logs.append(params.level)

        async def on_message(message):
            change = change_of(message.root) if isinstance(message, types.ServerNotification) else None
            if change:
                self.changes.append(change)

        self.stack = contextlib.AsyncExitStack()
        self.session = await self.stack.enter_async_context(connect(
            self.transport, self.address, self.arguments, elicitation_callback=on_elicitation,
            sampling_callback=on_sampling, list_roots_callback=on_roots, logging_callback=on_log,
            message_handler=on_message))
        return self

    async def __aexit__(self, *failure):
        await self.stack.aclose()


if __name__ == "__main__":
    checks.main(Python1)
