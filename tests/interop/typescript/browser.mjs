// A web page in headless Chromium calls the demonstration server with fetch and by WebSocket, reads a stream, and is
// refused if its origin is not listed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { startDemo } from './demo_server.mjs';
import { load } from './peers.mjs';

const { chromium } = load('playwright-core');
const executablePath = process.env.LANYARD_CHROMIUM ?? '/usr/bin/chromium';
// In CI no test may be skipped.
const skip = process.env.CI !== 'true' && !existsSync(executablePath) && `there is no ${executablePath}`;

/** Serves an empty page at a separate origin. */
async function startPage() {
    const server = createServer((_, response) => {
        response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    // The server uses another name of the loopback interface, so that the origins differ.
    return { origin: `http://localhost:${server.address().port}`, stop: () => server.close() };
}

/** Runs in the page: sends a request and reads the whole answer, piece by piece. */
async function send({ url, headers, message }) {
    try {
        const response = await fetch(url, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
            body: JSON.stringify(message),
        });
        const pieces = [];
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
        return {
            status: response.status,
            type: response.headers.get('Content-Type'),
            session: response.headers.get('Mcp-Session-Id'),
            pieces,
        };
    } catch (error) {
        return { refused: String(error) };
    }
}

/** Runs in the page: sends messages by WebSocket, and returns as many answers and how the socket was closed. */
function talk({ url, messages }) {
    return new Promise((resolve) => {
        const answers = [];
        const socket = new WebSocket(url, 'mcp');
        let opened = false;
        socket.onopen = () => {
            opened = true;
            for (const message of messages) socket.send(JSON.stringify(message));
        };
        socket.onmessage = ({ data }) => {
            answers.push(data);
            if (answers.length === messages.length) socket.close(1000);
        };
        socket.onclose = ({ code, wasClean }) =>
            resolve({ opened, protocol: socket.protocol, answers, code, wasClean });
    });
}

const call = (name, args) => ({
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
    message: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
            name,
            arguments: args,
            _meta: {
                progressToken: 'p',
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientCapabilities': {},
            },
        },
    },
});

const initialize = {
    headers: {},
    message: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
    },
};

let browser, listed, foreign, demo;

before(async () => {
    if (skip) return;
    listed = await startPage();
    foreign = await startPage();
    demo = await startDemo('--ws', '--allow-origin', listed.origin);
    // As root, Chromium only runs without its sandbox.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});

after(async () => {
    await browser?.close();
    await demo?.stop();
    listed?.stop();
    foreign?.stop();
});

async function inPage(origin, script, argument) {
    const page = await browser.newPage();
    try {
        await page.goto(origin);
        return await page.evaluate(script, argument);
    } finally {
        await page.close();
    }
}

const fromPage = (origin, request) => inPage(origin, send, { url: demo.url, ...request });

const bySocket = (origin, messages) =>
    inPage(origin, talk, { url: demo.url.replace(/^http/, 'ws') + '/ws', messages });

const check = (what, body) => test(`Chromium: ${what}`, { timeout: 60_000, skip }, body);

check('a page of a listed origin calls a tool', async () => {
    const answer = await fromPage(listed.origin, call('add', { a: 40, b: 2 }));
    assert.equal(answer.status, 200, JSON.stringify(answer));
    assert.match(answer.pieces.join(''), /"structuredContent":\{"sum":42\}/);
});

check('a page of a listed origin reads a stream as it comes', async () => {
    const answer = await fromPage(listed.origin, call('count_down', { from: 4, delay_ms: 400 }));
    assert.equal(answer.status, 200, JSON.stringify(answer));
    assert.match(answer.type, /^text\/event-stream/);
    // On a busy machine some events may arrive together.
    assert.ok(answer.pieces.length > 1, `${answer.pieces.length} pieces`);
    const text = answer.pieces.join('');
    assert.equal(text.match(/notifications\/progress/g).length, 4);
    assert.match(text, /counted down from 4/);
});

check('a page of a listed origin sees its session', async () => {
    const answer = await fromPage(listed.origin, initialize);
    assert.equal(answer.status, 200, JSON.stringify(answer));
    assert.match(answer.session ?? '', /^[\x21-\x7e]+$/);
});

check('a page of a foreign origin is refused', async () => {
    for (const request of [call('add', { a: 40, b: 2 }), initialize]) {
        const answer = await fromPage(foreign.origin, request);
        assert.match(answer.refused ?? '', /TypeError: Failed to fetch/, JSON.stringify(answer));
    }
});

check('not even a plain form post of a foreign origin does anything', async () => {
    const before = await fromPage(listed.origin, call('increment', { by: 0 }));
    const page = await browser.newPage();
    await page.goto(foreign.origin);
    // No preflight, because forms may send this content type.
    await page.evaluate(
        ({ url, body }) => fetch(url, { method: 'POST', mode: 'no-cors', body, headers: { 'Content-Type': 'text/plain' } }),
        { url: demo.url, body: JSON.stringify(call('increment', { by: 5 }).message) },
    );
    await page.close();
    const after = await fromPage(listed.origin, call('increment', { by: 0 }));
    const count = (answer) => /"structuredContent":\{"value":(\d+)\}/.exec(answer.pieces.join(''))[1];
    assert.equal(count(after), count(before));
});

check('a page of a listed origin talks by WebSocket in both eras', async () => {
    const modern = await bySocket(listed.origin, [call('add', { a: 40, b: 2 }).message]);
    assert.match(modern.answers[0] ?? '', /"structuredContent":\{"sum":42\}/, JSON.stringify(modern));
    assert.deepEqual([modern.protocol, modern.code, modern.wasClean], ['mcp', 1000, true]);
    const legacy = await bySocket(listed.origin, [initialize.message]);
    assert.match(legacy.answers[0] ?? '', /"protocolVersion":"2025-11-25"/, JSON.stringify(legacy));
});

check('a page of a foreign origin gets no WebSocket', async () => {
    const answer = await bySocket(foreign.origin, [initialize.message]);
    assert.deepEqual([answer.opened, answer.answers.length, answer.wasClean], [false, 0, false]);
});
