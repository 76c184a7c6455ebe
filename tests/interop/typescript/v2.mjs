// The client of the TypeScript SDK, version 2, against the demonstration server, in both eras.
import { testDemo } from './demo.mjs';
import { lanyard, load } from './peers.mjs';

const { Client } = load('@modelcontextprotocol/client');
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

async function open({ elicitation, sampling, roots }, mode) {
    const client = new Client(
        { name: 'typescript-v2', version: '1' },
        {
            capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
            versionNegotiation: { mode },
        },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => elicitation(params));
    client.setRequestHandler('sampling/createMessage', ({ params }) => sampling(params));
    client.setRequestHandler('roots/list', () => ({ roots: roots() }));
    await client.connect(new StdioClientTransport({ command: lanyard, args: ['serve', '--demo', '--stdio'] }));
    return client;
}

// This version reports one code, whatever the server's revision has.
const notFound = -32602;

const on = (client, method, handler) => client.setNotificationHandler(method, handler);

testDemo('TypeScript SDK v2, 2025-11-25', {
    modern: false,
    notFound,
    open: (handlers) => open(handlers, 'legacy'),
    on,
    async watch(client, { resourceSubscriptions = [] }) {
        for (const uri of resourceSubscriptions) await client.subscribeResource({ uri });
        return async () => {
            for (const uri of resourceSubscriptions) await client.unsubscribeResource({ uri });
        };
    },
    async logging(client, level) {
        await client.setLoggingLevel(level);
        return {};
    },
});

for (const [name, mode] of [
    ['2026-07-28', { pin: '2026-07-28' }],
    ['negotiated', 'auto'],
]) {
    testDemo(`TypeScript SDK v2, ${name}`, {
        modern: true,
        notFound,
        open: (handlers) => open(handlers, mode),
        on,
        async watch(client, filter) {
            const subscription = await client.listen(filter);
            return () => subscription.close();
        },
        logging: async (client, level) => ({ _meta: { 'io.modelcontextprotocol/logLevel': level } }),
    });
}
