// server_v1.mjs stateful|stateless sse|json: an HTTP server of the TypeScript SDK, version 1, with the features that
// ../sdk_server_test.py expects.
import { listen, transports } from './http_server.mjs';
import { load } from './peers.mjs';

const { McpServer, ResourceTemplate } = load('@modelcontextprotocol/sdk/server/mcp.js');
const { completable } = load('@modelcontextprotocol/sdk/server/completable.js');
const { StreamableHTTPServerTransport } = load('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { CreateMessageResultSchema, ElicitResultSchema } = load('@modelcontextprotocol/sdk/types.js');
const { z } = load('zod');

const text = (words) => ({ content: [{ type: 'text', text: words }] });

function addQuestions(server) {
    server.registerTool('ask_user', { description: 'Ask the user' }, async (extra) => {
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
        const { content } = await extra.sendRequest(
            { method: 'elicitation/create', params: { message: 'What is your name?', requestedSchema } },
            ElicitResultSchema,
        );
        return text(`Hello, ${content.name}!`);
    });
    server.registerTool('ask_model', { description: 'Ask the model' }, async (extra) => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'six times seven' } }];
        const { content } = await extra.sendRequest(
            { method: 'sampling/createMessage', params: { messages, maxTokens: 10 } },
            CreateMessageResultSchema,
        );
        return text(`the model says ${content.text}`);
    });
}

function makeServer(canAsk) {
    const server = new McpServer({ name: 'typescript-v1-peer', version: '1' });
    server.registerTool('echo', { description: 'Say the same again', inputSchema: { text: z.string() } }, (input) =>
        text(input.text),
    );
    server.registerTool(
        'add',
        {
            description: 'Add two numbers',
            inputSchema: { a: z.number(), b: z.number() },
            outputSchema: { sum: z.number() },
        },
        ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
    );
    server.registerTool(
        'count_down',
        { description: 'Report progress', inputSchema: { start: z.number().int() } },
        async ({ start }, { _meta, sendNotification }) => {
            for (let step = 1; step <= start && _meta?.progressToken !== undefined; ++step) {
                const params = { progressToken: _meta.progressToken, progress: step, total: start };
                await sendNotification({ method: 'notifications/progress', params });
            }
            return text('done');
        },
    );
    server.registerTool('fail', { description: 'Fail' }, () => {
        throw new Error('on purpose');
    });
    if (canAsk) addQuestions(server);
    const plain = { mimeType: 'text/plain' };
    server.registerResource('text', 'peer://text', plain, ({ href }) => ({
        contents: [{ uri: href, text: 'some text', ...plain }],
    }));
    server.registerResource(
        'item',
        new ResourceTemplate('peer://item/{number}', { list: undefined }),
        plain,
        ({ href }, { number }) => ({ contents: [{ uri: href, text: `item ${number}`, ...plain }] }),
    );
    const names = (typed) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(typed));
    server.registerPrompt(
        'greet',
        { description: 'Greet somebody', argsSchema: { name: completable(z.string(), names) } },
        ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}` } }] }),
    );
    return server;
}

const [sessions, answers] = process.argv.slice(2);
listen(transports(StreamableHTTPServerTransport, makeServer, sessions === 'stateful', answers === 'json'));
