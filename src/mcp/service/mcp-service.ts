import { Gauge, type Registry } from 'prom-client';
import type { McpTransport } from '../transport/transport.ts';
import type { McpOptions } from './mcp-options.ts';

/**
 * The tool server for clients of the Model Context Protocol, with the permissions of the caller's key. Most servers have
 * no such clients, so the first request opens it.
 */
export function createMcpService({ registry, ...options }: McpOptions & { registry?: Registry }): McpTransport {
  let opened: McpTransport | undefined;
  const open = async () => {
    const { openMcpServer } = await import('./open-mcp-server.ts');
    opened ??= openMcpServer(options);
    return opened;
  };
  const openStreams = () => opened?.openStreams() ?? 0;
  if (registry) countStreams(openStreams, registry);
  return {
    post: async (context) => (opened ?? (await open())).post(context),
    listen: async (context) => (opened ?? (await open())).listen(context),
    openStreams,
  };
}

function countStreams(openStreams: () => number, registry: Registry): void {
  new Gauge({
    name: 'mcp_open_streams',
    help: 'Open streams that notify MCP clients of changes',
    registers: [registry],
    collect() {
      this.set(openStreams());
    },
  });
}
