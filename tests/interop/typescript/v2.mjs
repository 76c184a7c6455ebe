// The client of the TypeScript SDK, version 2, against the demonstration server over stdio.
import { lanyard, load } from './peers.mjs';
import { testVersion2 } from './sdk_v2.mjs';

const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

testVersion2('stdio', async (client) => {
    await client.connect(new StdioClientTransport({ command: lanyard, args: ['serve', '--demo', '--stdio'] }));
    return client;
});
