// The client of the TypeScript SDK, version 2, against the demonstration server, in both eras, over any transport.
import { testDemo } from './demo.mjs';
import { load } from './peers.mjs';

const { Client } = load('@modelcontextprotocol/client');

function makeClient({ elicitation, sampling, roots }, mode) {
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
    return client;
}

// This version reports the same code for every revision of the server.
const notFound = -32602;

const on = (client, method, handler) => client.setNotificationHandler(method, handler);

/** `connect` connects the client it gets, and returns it. */
export function testVersion2(name, connect) {
    testDemo(`TypeScript SDK v2, ${name}, 2025-11-25`, {
        modern: false,
        notFound,
        open: (handlers) => connect(makeClient(handlers, 'legacy')),
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

    for (const [era, mode] of [
        ['2026-07-28', { pin: '2026-07-28' }],
        ['negotiated', 'auto'],
    ]) {
        testDemo(`TypeScript SDK v2, ${name}, ${era}`, {
            modern: true,
            notFound,
            open: (handlers) => connect(makeClient(handlers, mode)),
            on,
            async watch(client, filter) {
                const subscription = await client.listen(filter);
                return () => subscription.close();
            },
            logging: async (client, level) => ({ _meta: { 'io.modelcontextprotocol/logLevel': level } }),
        });
    }
}
