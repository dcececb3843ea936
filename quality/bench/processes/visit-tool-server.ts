import { Agent, type IncomingMessage, request } from 'node:http';
import { answer } from './answer.ts';

// Clients of the tool server that connect, send a request, and disconnect without closing their session.
type Address = { port: number; key: string };
type Visits = Address & { count: number; concurrency: number };

const ERA_2026 = '2026-07-28';
const CLIENT = { name: 'visitor', version: '1' };
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const LISTEN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': ERA_2026,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  },
  notifications: { resourcesListChanged: true },
};

/**
 * Alternates between both protocol versions: the handshake and a list, then a stream that is aborted once it is open.
 */
async function visit(address: Address, isNew: boolean): Promise<void> {
  if (isNew) return tearOff(address, 'POST', message('subscriptions/listen', LISTEN));
  await ask(address, 'initialize', INITIALIZE);
  await ask(address, 'tools/list', {});
  return tearOff(address, 'GET');
}

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

function open({ port, key }: Address, method: string, keep: boolean, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body?.includes(ERA_2026) ? { 'mcp-protocol-version': ERA_2026, 'mcp-method': 'subscriptions/listen' } : {}),
    };
    request({ port, host: '127.0.0.1', path: '/mcp', method, headers, agent: keep ? agent : false }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`The tool server answered ${response.statusCode}.`));
    })
      .once('error', reject)
      .end(body);
  });
}

async function ask(address: Address, method: string, params: object): Promise<void> {
  const response = await open(address, 'POST', true, message(method, params));
  for await (const _ of response);
}

async function tearOff(address: Address, method: string, body?: string): Promise<void> {
  const response = await open(address, method, false, body);
  response.destroy();
}

/** Runs a fixed number at a time until `count` are done. */
async function repeat(count: number, concurrency: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

answer({
  visit: ({ count, concurrency, ...address }: Visits) =>
    repeat(count, concurrency, (index) => visit(address, index % 2 === 1)),
  list: ({ count, concurrency, ...address }: Visits) =>
    repeat(count, concurrency, () => ask(address, 'tools/list', {})),
  async openStreams({ port }: Address): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^mcp_open_streams (\d+)$/m.exec(text)?.[1]);
  },
});
