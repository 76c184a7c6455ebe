// The client of the TypeScript SDK, version 1, against the demonstration server.
import { testDemo } from './demo.mjs';
import { lanyard, load } from './peers.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const types = load('@modelcontextprotocol/sdk/types.js');

const notifications = {
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
    'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
    'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
    'notifications/message': types.LoggingMessageNotificationSchema,
};

testDemo('TypeScript SDK v1', {
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
        await client.connect(new StdioClientTransport({ command: lanyard, args: ['serve', '--demo', '--stdio'] }));
        return client;
    },

    // The result's schema comes before the options.
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
