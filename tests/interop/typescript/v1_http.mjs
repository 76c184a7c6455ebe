// The client of the TypeScript SDK, version 1, against the demonstration server over HTTP: directly, and through
// mcp-remote, which provides a server at a URL over stdio.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endingWith, startDemo } from './demo_server.mjs';
import { folder, load } from './peers.mjs';
import { testVersion1 } from './sdk_v1.mjs';

const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js');

testVersion1('HTTP', async (client) => {
    const server = await startDemo();
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    return endingWith(client, server);
});

const remote = path.join(folder, 'node_modules/mcp-remote/dist/proxy.js');
const settings = mkdtempSync(path.join(os.tmpdir(), 'lanyard-mcp-remote-'));

testVersion1('mcp-remote', async (client) => {
    const server = await startDemo();
    const args = [remote, server.url, '--transport', 'http-only'];
    const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: settings };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    return endingWith(client, server);
});
