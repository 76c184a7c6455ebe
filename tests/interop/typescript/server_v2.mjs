// server_v2.mjs modern|stateful|stateless auto|sse|json: an HTTP server of the TypeScript SDK, version 2, with the features
// that ../sdk_server_test.py expects.
import { listen, transports } from './http_server.mjs';
import { load } from './peers.mjs';

const { McpServer, ResourceTemplate, acceptedContent, completable, createMcpHandler, inputRequired } =
    load('@modelcontextprotocol/server');
const { NodeStreamableHTTPServerTransport, toNodeHandler } = load('@modelcontextprotocol/node');
const { z } = load('zod');

const text = (words) => ({ content: [{ type: 'text', text: words }] });

function addQuestions(server) {
    server.registerTool('ask_user', { description: 'Ask the user' }, async ({ mcpReq }) => {
        const answer = acceptedContent(mcpReq.inputResponses, 'name');
        if (answer) return text(`Hello, ${answer.name}!`);
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
        const name = inputRequired.elicit({ message: 'What is your name?', requestedSchema });
        return inputRequired({ inputRequests: { name } });
    });
    server.registerTool('ask_model', { description: 'Ask the model' }, async ({ mcpReq }) => {
        const answer = mcpReq.inputResponses?.answer;
        if (answer) return text(`the model says ${[answer.content].flat()[0].text}`);
        const messages = [{ role: 'user', content: { type: 'text', text: 'six times seven' } }];
        return inputRequired({ inputRequests: { answer: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
    });
}

function makeServer(canAsk) {
    const server = new McpServer({ name: 'typescript-v2-peer', version: '1' });
    server.registerTool(
        'echo',
        { description: 'Say the same again', inputSchema: z.object({ text: z.string() }) },
        (input) => text(input.text),
    );
    server.registerTool(
        'add',
        {
            description: 'Add two numbers',
            inputSchema: z.object({ a: z.number(), b: z.number() }),
            outputSchema: z.object({ sum: z.number() }),
        },
        ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
    );
    server.registerTool(
        'count_down',
        { description: 'Report progress', inputSchema: z.object({ start: z.number().int() }) },
        async ({ start }, { mcpReq }) => {
            const progressToken = mcpReq._meta?.progressToken;
            for (let step = 1; step <= start && progressToken !== undefined; ++step) {
                const params = { progressToken, progress: step, total: start };
                await mcpReq.notify({ method: 'notifications/progress', params });
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
        { description: 'Greet somebody', argsSchema: z.object({ name: completable(z.string(), names) }) },
        ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}` } }] }),
    );
    return server;
}

const [sessions, answers] = process.argv.slice(2);
if (sessions === 'modern') {
    const handler = createMcpHandler(() => makeServer(true), { legacy: 'reject', responseMode: answers });
    listen(toNodeHandler(handler));
} else {
    listen(transports(NodeStreamableHTTPServerTransport, makeServer, sessions === 'stateful', answers === 'json'));
}
