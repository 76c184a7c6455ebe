// `lanyard serve --demo --http`, started for a test.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { lanyard } from './peers.mjs';

/** Starts a separate server on a free port: returns its URL, and a function that ends it and checks its exit code. */
export async function startDemo(...options) {
    const args = ['serve', '--demo', '--http', '127.0.0.1:0', ...options];
    const server = spawn(lanyard, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => server.once('exit', (code) => resolve(code)));
    const url = await new Promise((resolve, reject) => {
        ended.then((code) => reject(new Error(`the server ended with ${code}`)));
        createInterface(server.stdout).on('line', (line) => {
            const found = line.match(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
            if (found) resolve(found[0]);
        });
    });
    return {
        url,
        async stop() {
            server.kill('SIGTERM');
            const code = await ended;
            if (code !== 0) throw new Error(`the server ended with ${code}`);
        },
    };
}

/** The client, which ends its server when it is closed. */
export function endingWith(client, server) {
    const close = client.close.bind(client);
    client.close = async () => {
        await close();
        await server.stop();
    };
    return client;
}
