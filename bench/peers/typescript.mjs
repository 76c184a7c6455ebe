// Shared by the servers of both versions of the TypeScript SDK: packages, arguments, tools.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';

// tests/interop/npm pins the packages; LANYARD_PEERS_NPM is the folder where they are installed.
export const load = createRequire(path.join(path.resolve(process.env.LANYARD_PEERS_NPM), 'package.json'));
const { z } = load('zod');

/** stdio|stateful|stateless|modern, plain|list|text, and a port for all but stdio. */
export const [mode, tools, port] = process.argv.slice(2);

const sentence = 'The quick brown fox "jumps" over the lazy dog, and nobody minds it at all.\n';
const megabyte = sentence.repeat(Math.ceil(1e6 / sentence.length)).slice(0, 1e6);
const words = (text) => ({ content: [{ type: 'text', text }] });

/** Name, configuration and handler of every tool; `object` makes a schema of what the SDK takes as such. */
export function toolsOf(object) {
    if (tools === 'text') return [['text', { description: 'Gives a megabyte of text' }, () => words(megabyte)]];
    if (tools === 'list') {
        const inputSchema = object({
            path: z.string().describe('Where to look'),
            limit: z.number().int().min(1).max(100),
            recursive: z.boolean().default(false),
        });
        const description =
            'Does one of the many things that a tool can do, and says so in a sentence of ordinary length.';
        return Array.from({ length: 80 }, (_, i) => [
            `tool_${i}`,
            { title: `Tool number ${i}`, description, inputSchema },
            (input) => words(input.path),
        ]);
    }
    return [
        ['echo', { description: 'Says the text back', inputSchema: object({ text: z.string() }) }, ({ text }) => words(text)],
        [
            'add',
            {
                description: 'Adds two numbers',
                inputSchema: object({ a: z.number(), b: z.number() }),
                outputSchema: object({ sum: z.number() }),
            },
            ({ a, b }) => {
                const structuredContent = { sum: a + b };
                return { ...words(JSON.stringify(structuredContent)), structuredContent };
            },
        ],
    ];
}

export function listen(handle) {
    createServer((request, response) => {
        handle(request, response).catch((error) => {
            console.error(error);
            response.destroy();
        });
    }).listen(Number(port), '127.0.0.1');
}
