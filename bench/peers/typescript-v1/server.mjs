// server.mjs stdio|stateful|stateless plain|list|text [PORT]: a server of the TypeScript SDK, version 1.
import { transports } from '../../../tests/interop/typescript/http_server.mjs';
import { listen, load, mode, toolsOf } from '../typescript.mjs';

const { McpServer } = load('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = load('@modelcontextprotocol/sdk/server/stdio.js');
const { StreamableHTTPServerTransport } = load('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { AjvJsonSchemaValidator } = load('@modelcontextprotocol/sdk/validation/ajv');

// One validator for all servers: making one takes longer than a call.
const jsonSchemaValidator = new AjvJsonSchemaValidator();
const tools = toolsOf((shape) => shape);

function makeServer() {
    const server = new McpServer({ name: 'typescript-v1', version: '1' }, { jsonSchemaValidator });
    for (const tool of tools) server.registerTool(...tool);
    return server;
}

if (mode === 'stdio') {
    await makeServer().connect(new StdioServerTransport());
} else {
    listen(transports(StreamableHTTPServerTransport, makeServer, mode === 'stateful', true));
}
