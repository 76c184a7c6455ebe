// The client of the TypeScript SDK, version 1, through supergateway; see checks.mjs for its arguments. Over stdio
// supergateway serves our program over Streamable HTTP (era legacy) or HTTP+SSE (era sse), over HTTP it serves our URL over
// stdio.
import { spawn } from 'node:child_process';
import net from 'node:net';
import { formAnswer, main } from './checks.mjs';
import { fileOf, load } from './load.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { SSEClientTransport } = load('@modelcontextprotocol/sdk/client/sse.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const types = load('@modelcontextprotocol/sdk/types.js');

const program = fileOf('supergateway/dist/index.js');

function freePort() {
    return new Promise((resolve) => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

/** Starts a supergateway that serves at a port, once for all checks. */
let gateway;
async function startGateway(command, sse) {
    if (gateway) return gateway.port;
    const port = await freePort();
    const words = ['--stdio', `${command} serve --demo`, '--port', String(port), '--logLevel', 'info'];
    words.push(...(sse ? ['--outputTransport', 'sse'] : ['--outputTransport', 'streamableHttp', '--stateful']));
    const child = spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
    gateway = { port, child };
    await new Promise((resolve, reject) => {
        const guard = setTimeout(() => reject(new Error('supergateway does not listen')), 20_000);
        const look = (block) => {
            if (!String(block).includes('Listening')) return;
            clearTimeout(guard);
            resolve();
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
    });
    return port;
}

const changes = {
    tools: types.ToolListChangedNotificationSchema,
    prompts: types.PromptListChangedNotificationSchema,
    resources: types.ResourceListChangedNotificationSchema,
};

class Supergateway {
    static absent = {};
    static end = () => gateway?.child.kill();
    logs = [];
    changes = [];

    constructor(transport, address, era) {
        Object.assign(this, { transport, address, era });
    }

    async connection() {
        if (this.transport === 'http') {
            const args = [program, '--streamableHttp', this.address, '--logLevel', 'none'];
            return new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
        }
        const sse = this.era === 'sse';
        const port = await startGateway(this.address, sse);
        const url = new URL(`http://127.0.0.1:${port}/${sse ? 'sse' : 'mcp'}`);
        return sse ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
    }

    async open() {
        this.client = new Client(
            { name: 'supergateway', version: '1' },
            { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
        );
        this.client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => ({
            action: 'accept',
            content: formAnswer(params.requestedSchema),
        }));
        this.client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
            role: 'assistant',
            content: { type: 'text', text: 'forty-two' },
            model: 'test-model',
        }));
        this.client.setRequestHandler(types.ListRootsRequestSchema, () => ({
            roots: [{ uri: 'file:///tmp/work', name: 'work' }],
        }));
        const on = (schema, handler) => this.client.setNotificationHandler(schema, handler);
        on(types.LoggingMessageNotificationSchema, ({ params }) => this.logs.push(params.level));
        on(types.ResourceUpdatedNotificationSchema, ({ params }) => this.changes.push(params.uri));
        for (const [kind, schema] of Object.entries(changes)) on(schema, () => this.changes.push(kind));
        await this.client.connect(await this.connection());
    }

    async close() {
        await this.client.transport?.terminateSession?.();
        await this.client.close();
    }

    tools = async () => (await this.client.listTools()).tools.map((tool) => tool.name);
    resources = async () => (await this.client.listResources()).resources.map((each) => each.uri);
    templates = async () => (await this.client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate);
    prompts = async () => (await this.client.listPrompts()).prompts.map((each) => each.name);
    prompt = async (name, args) => (await this.client.getPrompt({ name, arguments: args })).messages[0].content.text;
    watch = (uri) => this.client.subscribeResource({ uri });

    call(name, args, { onProgress, signal } = {}) {
        return this.client.callTool({ name, arguments: args }, undefined, { onprogress: onProgress, signal });
    }

    async read(uri) {
        const [contents] = (await this.client.readResource({ uri })).contents;
        return contents.text ?? contents.blob;
    }

    async complete(prompt, name, value, context) {
        const ref = { type: 'ref/prompt', name: prompt };
        const more = context ? { context: { arguments: context } } : {};
        return (await this.client.complete({ ref, argument: { name, value }, ...more })).completion.values;
    }

    async callLogging(name, level) {
        await this.client.setLoggingLevel(level);
        await this.call(name, {});
    }
}

await main(Supergateway);
