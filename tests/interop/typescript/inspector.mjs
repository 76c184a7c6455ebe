// The command line of the MCP Inspector against the demonstration server, over stdio and HTTP, in both eras.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startDemo } from './demo_server.mjs';
import { folder, lanyard } from './peers.mjs';

const inspector = path.join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const home = mkdtempSync(path.join(os.tmpdir(), 'lanyard-inspector-'));

const demo = await startDemo();
after(() => demo.stop());

async function inspectTarget(target, era, options) {
    const { stdout } = await promisify(execFile)(
        process.execPath,
        [inspector, '--cli', ...target, '--protocol-era', era, '--format', 'json', ...options],
        { env: { ...process.env, HOME: home } },
    );
    return JSON.parse(stdout).result;
}

for (const [carrier, era, ...target] of [
    ['stdio', 'legacy', lanyard, 'serve', '--demo'],
    ['stdio', 'modern', lanyard, 'serve', '--demo'],
    ['HTTP', 'legacy', demo.url, '--transport', 'http'],
    ['HTTP', 'modern', demo.url, '--transport', 'http'],
]) {
    const inspect = (...options) => inspectTarget(target, era, options);
    const check = (what, body) => test(`Inspector, ${carrier}, ${era}: ${what}`, { timeout: 60_000 }, body);

    check('lists tools, resources, templates and prompts', async () => {
        const { tools } = await inspect('--method', 'tools/list', '--strict');
        assert.ok(tools.some((tool) => tool.name === 'add'));
        const { resources } = await inspect('--method', 'resources/list');
        assert.ok(resources.some((resource) => resource.uri === 'demo://readme'));
        const { resourceTemplates } = await inspect('--method', 'resources/templates/list');
        assert.equal(resourceTemplates.length, 2);
        const { prompts } = await inspect('--method', 'prompts/list');
        assert.ok(prompts.some((prompt) => prompt.name === 'review'));
    });

    check('calls tools', async () => {
        const call = (tool, ...args) => inspect('--method', 'tools/call', '--tool-name', tool, ...args);
        assert.deepEqual((await call('add', '--tool-arg', 'a=1', 'b=2')).structuredContent, { sum: 3 });
        assert.equal((await call('picture')).content[0].mimeType, 'image/png');
        await assert.rejects(call('fail'), { code: 5 });
    });

    check('reads resources and gets prompts', async () => {
        const { contents } = await inspect('--method', 'resources/read', '--uri', 'demo://greeting/Ada');
        assert.equal(contents[0].text, 'Hello, Ada!');
        const { messages } = await inspect(
            '--method', 'prompts/get', '--prompt-name', 'review', '--prompt-args', 'language=rust', 'code=x',
        );
        assert.match(messages[0].content.text, /Rust/);
    });
}
