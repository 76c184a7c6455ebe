// Shared code of the HTTP servers of both versions of the TypeScript SDK: listening, printing the URL, and sessions.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** Listens on a free port, prints the URL as the first line, and exits when stdin ends. */
export function listen(handle) {
    const server = createServer((request, response) => {
        handle(request, response).catch((error) => {
            console.error(error);
            response.destroy();
        });
    });
    server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
    process.stdin.on('end', () => process.exit(0)).resume();
}

/**
 * A handler with a transport for each session, or for each request if there are no sessions. A server can send requests
 * to its client only within a session, and on a stream.
 */
export function transports(Transport, makeServer, stateful, json) {
    const sessions = new Map();
    const options = { enableJsonResponse: json };
    return async (request, response) => {
        const known = sessions.get(request.headers['mcp-session-id']);
        if (known) return known.handleRequest(request, response);
        if (request.headers['mcp-session-id']) {
            response.writeHead(404).end();
            return;
        }
        const transport = new Transport(
            stateful
                ? { ...options, sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) }
                : { ...options, sessionIdGenerator: undefined },
        );
        await makeServer(stateful && !json).connect(transport);
        await transport.handleRequest(request, response);
    };
}
