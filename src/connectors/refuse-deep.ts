import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const DEPTH_MAX = 128;
const INTERNAL_ERROR = -32603;

/**
 * The library walks the schemas of tools with a copy of the path at each step: a few thousand levels of nesting would take
 * seconds. A message that is nested too deeply becomes an error of the server.
 */
export function refuseDeepMessages(transport: StreamableHTTPClientTransport): void {
  const deliver = transport.onmessage;
  if (!deliver) return;
  transport.onmessage = (message: JSONRPCMessage) => {
    const id = 'id' in message ? message.id : undefined;
    deliver(id !== undefined && isDeep(message) ? refusal(id) : message);
  };
}

function refusal(id: string | number): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'The answer is nested too deeply.' } };
}

function isDeep(message: unknown): boolean {
  let level = [message];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
