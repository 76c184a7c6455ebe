// @ai-sdk/mcp against `lanyard serve --demo`; see checks.mjs for its arguments.
import { formAnswer, main } from './checks.mjs';
import { loadFile } from './load.mjs';

const { createMCPClient, ElicitationRequestSchema } = await loadFile('@ai-sdk/mcp/dist/index.js');
const { Experimental_StdioMCPTransport: StdioTransport } = await loadFile('@ai-sdk/mcp/dist/mcp-stdio/index.js');

const notOffered = '@ai-sdk/mcp does not offer it';

class AiSdk {
    static absent = {
        progress: notOffered,
        sampling: notOffered,
        roots: notOffered,
        log: notOffered,
        changes: notOffered,
    };

    constructor(transport, address, era) {
        Object.assign(this, { transport, address, era });
    }

    async open() {
        const transport =
            this.transport === 'stdio'
                ? new StdioTransport({ command: this.address, args: ['serve', '--demo'], stderr: 'ignore' })
                : { type: 'http', url: this.address };
        this.client = await createMCPClient({
            transport,
            capabilities: { elicitation: {} },
            protocolVersionDiscovery: this.era !== 'legacy',
            onUncaughtError: (error) => console.error('uncaught:', error),
        });
        this.client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => ({
            action: 'accept',
            content: formAnswer(params.requestedSchema),
        }));
    }

    close = () => this.client.close();
    tools = async () => (await this.client.listTools()).tools.map((tool) => tool.name);
    call = (name, args, { signal } = {}) => this.client.callTool({ name, arguments: args, options: { signal } });
    resources = async () => (await this.client.listResources()).resources.map((each) => each.uri);
    templates = async () => (await this.client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate);
    prompts = async () => (await this.client.listPrompts()).prompts.map((each) => each.name);
    prompt = async (name, args) => (await this.client.getPrompt({ name, arguments: args })).messages[0].content.text;

    async read(uri) {
        const [contents] = (await this.client.readResource({ uri })).contents;
        return contents.text ?? contents.blob;
    }

    async complete(prompt, name, value, context) {
        const ref = { type: 'ref/prompt', name: prompt };
        const more = context ? { context: { arguments: context } } : {};
        return (await this.client.complete({ ref, argument: { name, value }, ...more })).completion.values;
    }
}

await main(AiSdk);
