// WebSocket clients of Node against the demonstration server: the SDK's transport through every feature, Node's own
// WebSocket in both eras, and the package `ws`, which shows frames.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endingWith, startDemo } from './demo_server.mjs';
import { load } from './peers.mjs';
import { testVersion1 } from './sdk_v1.mjs';

const { WebSocketClientTransport } = load('@modelcontextprotocol/sdk/client/websocket.js');
const Ws = load('ws');

const socketUrl = (demo) => demo.url.replace(/^http/, 'ws') + '/ws';

testVersion1('WebSocket', async (client) => {
    const server = await startDemo('--ws');
    await client.connect(new WebSocketClientTransport(new URL(socketUrl(server))));
    return endingWith(client, server);
});

const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'node', version: '1' } },
};
const add = (id, args) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
        name: 'add',
        arguments: args,
        _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
        },
    },
});

/** Waits for the next event of this name and returns it. */
const next = (socket, name) =>
    new Promise((resolve, reject) => {
        socket.addEventListener(name, resolve, { once: true });
        if (name !== 'error') socket.addEventListener('error', () => reject(new Error(`no ${name}`)), { once: true });
    });

let demo;
before(async () => {
    demo = await startDemo('--ws');
});
after(() => demo.stop());

const check = (what, body) => test(`Node: ${what}`, { timeout: 60_000 }, body);

check('its WebSocket talks in both eras and closes', async () => {
    for (const [request, expected] of [
        [initialize, /"protocolVersion":"2025-11-25"/],
        [add(1, { a: 40, b: 2 }), /"structuredContent":\{"sum":42\}/],
    ]) {
        const socket = new WebSocket(socketUrl(demo), 'mcp');
        await next(socket, 'open');
        assert.equal(socket.protocol, 'mcp');
        assert.equal(socket.extensions, '');
        socket.send(JSON.stringify(request));
        assert.match((await next(socket, 'message')).data, expected);
        const closed = next(socket, 'close');
        socket.close(1000, 'done');
        const { code, wasClean } = await closed;
        assert.deepEqual([code, wasClean], [1000, true]);
    }
});

check('many calls at once are all answered', async () => {
    const socket = new WebSocket(socketUrl(demo), 'mcp');
    await next(socket, 'open');
    const waiting = new Set();
    const all = new Promise((resolve) => {
        socket.onmessage = ({ data }) => {
            const { id, result } = JSON.parse(data);
            assert.equal(result.structuredContent.sum, id + 1);
            waiting.delete(id);
            if (waiting.size === 0) resolve();
        };
    });
    for (let id = 1; id <= 1000; ++id) {
        waiting.add(id);
        socket.send(JSON.stringify(add(id, { a: id, b: 1 })));
    }
    await all;
    socket.close();
});

check('what is not text is refused with 1003, and wrong text with 1007', async () => {
    const socket = new WebSocket(socketUrl(demo), 'mcp');
    await next(socket, 'open');
    socket.send(new Uint8Array([1, 2, 3]));
    assert.equal((await next(socket, 'close')).code, 1003);
    const wrong = new Ws(socketUrl(demo), 'mcp');
    await next(wrong, 'open');
    wrong.send(Buffer.from([0xff]), { binary: false });
    assert.equal((await next(wrong, 'close')).code, 1007);
});

check('ws: pings are answered, fragments put together', async () => {
    const socket = new Ws(socketUrl(demo), 'mcp');
    await next(socket, 'open');
    const pong = new Promise((resolve) => socket.once('pong', (data) => resolve(data.toString())));
    socket.ping('are you there');
    assert.equal(await pong, 'are you there');
    const text = JSON.stringify(add(1, { a: 40, b: 2 }));
    socket.send(text.slice(0, 20), { fin: false });
    socket.send(text.slice(20, 21), { fin: false });
    socket.send(text.slice(21), { fin: true });
    assert.match((await next(socket, 'message')).data, /"sum":42/);
    socket.close();
    await next(socket, 'close');
});

check('ws: a foreign origin is refused before anything is opened', async () => {
    const socket = new Ws(socketUrl(demo), 'mcp', { origin: 'https://evil.example' });
    const status = await new Promise((resolve, reject) => {
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
        socket.on('open', () => reject(new Error('it was opened')));
    });
    assert.equal(status, 403);
});

check('a server that stops says so', async () => {
    const stopping = await startDemo('--ws');
    const socket = new WebSocket(socketUrl(stopping), 'mcp');
    await next(socket, 'open');
    const closed = next(socket, 'close');
    await stopping.stop();
    assert.equal((await closed).code, 1001);
});
