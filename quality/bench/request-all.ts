import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const CONNECTIONS = 24;
const TURN_MS = 10;

export type Call = { path: string; body?: unknown };

/** Sends the calls to the servers in turn and reads every response to its end, at a fixed rate per server. */
export async function requestAll(ports: number[], key: string, calls: Call[], perSecond: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const began = performance.now();
  const sent: Promise<void>[] = [];
  while (sent.length < calls.length) {
    const due = ((performance.now() - began) * perSecond * ports.length) / 1000;
    for (let n = sent.length; n < Math.min(due, calls.length); n++)
      sent.push(send(agent, ports[n % ports.length] ?? 0, key, calls[n]));
    await delay(TURN_MS);
  }
  await Promise.all(sent);
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
