// The client of the TypeScript SDK, version 2, against the demonstration server over HTTP.
import { endingWith, startDemo } from './demo_server.mjs';
import { load } from './peers.mjs';
import { testVersion2 } from './sdk_v2.mjs';

const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');

testVersion2('HTTP', async (client) => {
    const server = await startDemo();
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    return endingWith(client, server);
});
