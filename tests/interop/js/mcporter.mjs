// The runtime of mcporter against `lanyard serve --demo`; see checks.mjs for its arguments.
import { main } from './checks.mjs';
import { loadFile } from './load.mjs';

const { createRuntime } = await loadFile('mcporter/dist/index.js');

const notOffered = 'mcporter does not offer it';

class Mcporter {
    static absent = Object.fromEntries(
        ['progress', 'cancel', 'templates', 'prompts', 'completion', 'elicitation', 'sampling', 'roots', 'log', 'changes'].map(
            (each) => [each, notOffered],
        ),
    );

    constructor(transport, address) {
        const command =
            transport === 'stdio'
                ? { kind: 'stdio', command: address, args: ['serve', '--demo'], cwd: process.cwd() }
                : { kind: 'http', url: new URL(address) };
        this.definition = { name: 'demo', command };
    }

    async open() {
        this.runtime = await createRuntime({ servers: [this.definition] });
    }

    close = () => this.runtime.close();
    tools = async () => (await this.runtime.listTools('demo')).map((tool) => tool.name);
    call = (name, args) => this.runtime.callTool('demo', name, { args });
    resources = async () => (await this.runtime.listResources('demo')).resources.map((each) => each.uri);

    async read(uri) {
        const [contents] = (await this.runtime.readResource('demo', uri)).contents;
        return contents.text ?? contents.blob;
    }
}

await main(Mcporter);
