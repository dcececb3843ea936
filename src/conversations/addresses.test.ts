import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startFakeMcp } from '../../test/support/mcp-server.ts';
import { createConnectionService } from '../connectors/index.ts';
import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { type Conversing, MODEL, startConversing } from './conversations-for-tests.ts';
import { createSearch } from './index.ts';

/** Every spelling of an address that no tool may be led to. */
const FORBIDDEN = {
  loopback: '127.0.0.1',
  'loopback, short': '127.1',
  'loopback in decimal': '2130706433',
  'loopback in hex': '0x7f000001',
  'loopback in octal': '0177.0.0.1',
  'loopback by name': 'localhost',
  'this host': '0.0.0.0',
  'private, 10/8': '10.0.0.1',
  'private, 172.16/12': '172.16.0.1',
  'private, 192.168/16': '192.168.0.1',
  'carrier-grade NAT': '100.64.0.1',
  'link-local': '169.254.0.1',
  metadata: '169.254.169.254',
  'metadata in decimal': '2852039166',
  'metadata of another cloud': '100.100.100.200',
  'metadata over IPv6': '[fd00:ec2::254]',
  'loopback over IPv6': '[::1]',
  'unspecified over IPv6': '[::]',
  'link-local over IPv6': '[fe80::1]',
  'unique local over IPv6': '[fc00::1]',
  'loopback, mapped into IPv6': '[::ffff:127.0.0.1]',
  'loopback, mapped, in hex': '[::ffff:7f00:1]',
  'loopback through NAT64': '[64:ff9b::127.0.0.1]',
  'loopback through 6to4': '[2002:7f00:1::]',
  broadcast: '255.255.255.255',
};
type Answered = { outputs: { type: string; info?: { error?: string } }[] };

/** Counts who comes, on all addresses of this machine. */
async function startVictim() {
  const server = createServer((_request, response) => void response.end('{}'));
  let visits = 0;
  server.on('connection', () => {
    visits += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  atEnd(() => void server.close());
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

describe('an address that is not public', () => {
  let conversing: Conversing;
  let victim: Awaited<ReturnType<typeof startVictim>>;
  let location = '';
  beforeAll(async () => {
    victim = await startVictim();
    const server = createServer((_request, response) => void response.writeHead(307, { location }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    conversing = await startConversing(sqliteForTests(), {
      tools: { web_search: { provider: 'searxng', url }, image_generation: { url } },
      connectors: Object.keys(FORBIDDEN).map((_, n) => ({ id: `c${n}`, url: `${url}/mcp` })),
    });
  });
  const forms = Object.entries(FORBIDDEN).map(([what, host], n) => [what, host, n] as const);

  it.each(forms)('is not where a search is redirected to: %s, %s', async (_what, host) => {
    location = `http://${host}:${victim.port}/`;
    conversing.says({ calls: [{ name: 'web_search', arguments: { query: 'x' } }] });
    const body = { model: MODEL, inputs: 'Hi', store: false, tools: [{ type: 'web_search' }] };
    const { outputs } = (await call(conversing.server, '/v1/conversations', { body })).body as Answered;
    expect(outputs[0]?.info?.error).toBe('The search provider searxng could not be used.');
    expect(victim.visits()).toBe(0);
  });

  it.each(forms)('is not where an image is made: %s, %s', async (_what, host) => {
    location = `http://${host}:${victim.port}/`;
    conversing.says({ calls: [{ name: 'image_generation', arguments: { prompt: 'x' } }] });
    const body = { model: MODEL, inputs: 'Hi', store: false, tools: [{ type: 'image_generation' }] };
    const { outputs } = (await call(conversing.server, '/v1/conversations', { body })).body as Answered;
    expect(outputs[0]?.info?.error).toBe('The image server could not be used.');
    expect(victim.visits()).toBe(0);
  });

  it.each(forms)('is not where a connector leads: %s, %s', async (_what, host, n) => {
    location = `http://${host}:${victim.port}/`;
    const body = { model: MODEL, inputs: 'Hi', store: false, tools: [{ type: 'connector', connector_id: `c${n}` }] };
    const { outputs } = (await call(conversing.server, '/v1/conversations', { body })).body as Answered;
    expect(outputs[0]?.info?.error).toBe(`The connector 'c${n}' redirects to another address, which is not followed.`);
    expect(victim.visits()).toBe(0);
  });

  it.each(forms)('is not handed to a model server as an image or a document: %s, %s', async (_what, host) => {
    const asked = conversing.upstream.calls.length;
    const address = `http://${host}:${victim.port}/a.png`;
    for (const chunk of [
      { type: 'image_url', image_url: address },
      { type: 'image_url', image_url: { url: address } },
      { type: 'document_url', document_url: address },
    ]) {
      const body = { model: MODEL, inputs: [{ role: 'user', content: [chunk] }] };
      expect((await call(conversing.server, '/v1/conversations', { body })).status).toBe(400);
      const chat = { model: MODEL, messages: body.inputs };
      expect((await call(conversing.server, '/v1/chat/completions', { body: chat })).status).toBe(400);
    }
    expect(conversing.upstream.calls).toHaveLength(asked);
    expect(victim.visits()).toBe(0);
  });

  it.each(forms)(
    'is not where a provider or a connector is, unless the operator says so: %s, %s',
    async (_what, host, n) => {
      const outbound = createOutbound({ allow: [] });
      const url = `http://${host}:${victim.port}`;
      const search = createSearch({ provider: 'searxng', url, results: 1 }, outbound);
      const signal = new AbortController().signal;
      await expect(search('x', { premium: false, signal })).rejects.toMatchObject({ status: 502 });
      await expect(
        connectorsAt(url, outbound).connect({ organization_id: 'o', workspace_id: 'w', user_id: 'u' }, 'wiki'),
      ).rejects.toMatchObject({
        message: "The connector 'wiki' is at an address that is not allowed.",
      });
      await outbound.close();
      expect(victim.visits(), String(n)).toBe(0);
    },
  );

  it.each(['10.0.0.1', '127.0.0.2', '169.254.169.254', '::1', '::ffff:169.254.169.254'])(
    'is not where a name leads that was harmless a moment ago: %s',
    async (address) => {
      const fake = await startFakeMcp();
      // A connection that stays open leads to where it was judged; each new one is judged anew.
      fake.instead = (_request, response) => !response.setHeader('connection', 'close');
      let answer = ['127.0.0.1'];
      const outbound = createOutbound({ allow: ['127.0.0.1'], lookup: async () => answer });
      const url = `http://rebind.example:${new URL(fake.url).port}/mcp`;
      const connection = await connectorsAt(url, outbound).connect(
        { organization_id: 'o', workspace_id: 'w', user_id: 'u' },
        'wiki',
      );
      const before = fake.seen.length;
      answer = [address];
      const signal = new AbortController().signal;
      await expect(connection.call('echo', {}, signal)).rejects.toMatchObject({
        message: "The connector 'wiki' is at an address that is not allowed.",
      });
      expect(fake.seen).toHaveLength(before);
      await outbound.close();
    },
  );
});

function connectorsAt(url: string, outbound: ReturnType<typeof createOutbound>) {
  const limits = { headers: {}, api_key_header: 'authorization', timeout_seconds: 5, result_limit_kib: 1 };
  return createConnectionService({
    connectors: [{ id: 'wiki', url, ...limits }],
    outbound,
    version: '1.0.0',
    now: () => 0,
    log: createLog('silent'),
  });
}
