import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { answer } from './answer.ts';

// The baseline of the gateway: bytes in, bytes out, nothing parsed.
const agent = new Agent({ connections: 256 });
let origin = '';
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    agent.dispatch(
      {
        origin,
        path: '/v1/chat/completions',
        method: 'POST',
        body: Buffer.concat(parts),
        headers: { 'content-type': 'application/json' },
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, headers) =>
          void response.writeHead(status, headers as Record<string, string>),
        onResponseData: (_controller, data) => void response.write(data),
        onResponseEnd: () => void response.end(),
        onResponseError: () => void response.destroy(),
      },
    );
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
answer({
  relayTo: (port: unknown) => {
    origin = `http://127.0.0.1:${String(port)}`;
    return { port: (server.address() as AddressInfo).port };
  },
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
