// server.mjs stdio|stateful|stateless|modern plain|list|text [PORT]: a server of the TypeScript SDK, version 2.
import { transports } from '../../../tests/interop/typescript/http_server.mjs';
import { listen, load, mode, toolsOf } from '../typescript.mjs';

const { McpServer, createMcpHandler } = load('@modelcontextprotocol/server');
const { serveStdio } = load('@modelcontextprotocol/server/stdio');
const { AjvJsonSchemaValidator } = load('@modelcontextprotocol/server/validators/ajv');
const { NodeStreamableHTTPServerTransport, toNodeHandler } = load('@modelcontextprotocol/node');
const { z } = load('zod');

// One validator for all servers: making one takes longer than a call.
const jsonSchemaValidator = new AjvJsonSchemaValidator();
const tools = toolsOf((shape) => z.object(shape));

function makeServer() {
    const server = new McpServer({ name: 'typescript-v2', version: '1' }, { jsonSchemaValidator });
    for (const tool of tools) server.registerTool(...tool);
    return server;
}

if (mode === 'stdio') {
    serveStdio(makeServer);
} else if (mode === 'modern') {
    listen(toNodeHandler(createMcpHandler(makeServer, { legacy: 'reject', responseMode: 'json' })));
} else {
    listen(transports(NodeStreamableHTTPServerTransport, makeServer, mode === 'stateful', true));
}
