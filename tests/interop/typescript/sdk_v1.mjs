// The client of the TypeScript SDK, version 1, against the demonstration server, over any transport.
import { testDemo } from './demo.mjs';
import { load } from './peers.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const types = load('@modelcontextprotocol/sdk/types.js');

const notifications = {
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
    'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
    'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
    'notifications/message': types.LoggingMessageNotificationSchema,
};

/** `connect` connects the client it gets, and returns it. */
export function testVersion1(name, connect, differences = {}) {
    testDemo(`TypeScript SDK v1, ${name}`, { ...sdk(connect), ...differences });
}

const sdk = (connect) => ({
    modern: false,
    notFound: -32002,

    async open({ elicitation, sampling, roots }) {
        const client = new Client(
            { name: 'typescript-v1', version: '1' },
            { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } } },
        );
        client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => elicitation(params));
        client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => sampling(params));
        client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: roots() }));
        return connect(client);
    },

    // The parameter before the options is the result's schema.
    callOptions: (options) => [undefined, options],

    on: (client, method, handler) => client.setNotificationHandler(notifications[method], handler),

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
