// The client of the TypeScript SDK, version 1, against the demonstration server over stdio.
import { lanyard, load } from './peers.mjs';
import { testVersion1 } from './sdk_v1.mjs';

const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

testVersion1('stdio', async (client) => {
    await client.connect(new StdioClientTransport({ command: lanyard, args: ['serve', '--demo', '--stdio'] }));
    return client;
});
