import { Agent, request } from 'node:http';

const CONNECTIONS = 24;

export type Call = { path: string; body?: unknown };

/** Sends the calls to the servers in turn, so many at a time, and reads every answer to its end. */
export async function requestAll(ports: number[], key: string, calls: Call[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const client = async () => {
    for (let n = next++; n < calls.length; n = next++) await send(agent, ports[n % ports.length] ?? 0, key, calls[n]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
}

function send(agent: Agent, port: number, key: string, { path, body }: Call = { path: '/' }): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path} was answered with ${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
