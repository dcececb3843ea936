import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../quality/campaigns/support/random.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { rounds } from '../../test/support/rounds.ts';
import { mutateAnswer, type WireAnswer } from '../../test/upstreams/mutate-answer.ts';
import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { createConnectionService } from './index.ts';

const MEBIBYTE = 1024 * 1024;
const here = { organization_id: 'o', workspace_id: '0198c0de-0000-7000-8000-000000000001', user_id: 'u' };
const never = new AbortController().signal;

function serve(fake: FakeMcp, timeout_seconds: number) {
  const outbound = createOutbound({ allow: [fake.place], bodyBytesMax: 16 * MEBIBYTE });
  atEnd(() => outbound.close());
  let now = 0;
  const wiki = { id: 'wiki', url: fake.url, headers: { 'x-key': 'a-secret-value' }, api_key_header: 'authorization' };
  return createConnectionService({
    connectors: [{ ...wiki, timeout_seconds, result_limit_kib: 64 }],
    outbound,
    version: '1.0.0',
    // Each listing is asked for anew.
    now: () => (now += 3_600_000),
    log: createLog('silent', { write: () => undefined }),
  });
}

const answers: Record<string, (id: unknown) => unknown> = {
  initialize: (id) => ({
    jsonrpc: '2.0',
    id,
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } },
  }),
  'tools/list': (id) => ({
    jsonrpc: '2.0',
    id,
    result: {
      tools: [{ name: 'echo', description: 'Say it', inputSchema: { type: 'object', properties: { a: {} } } }],
      ttlMs: 1000,
    },
  }),
  'tools/call': (id) => ({
    jsonrpc: '2.0',
    id,
    result: {
      content: [
        { type: 'text', text: 'hello' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'https://example.com', name: 'a' },
      ],
      structuredContent: { a: [1] },
      isError: false,
    },
  }),
};

function write(response: ServerResponse, { headers, pieces, ending }: WireAnswer): void {
  response.on('error', () => undefined);
  response.writeHead(200, { ...headers, 'mcp-session-id': 's'.repeat(2000) });
  for (const piece of pieces) response.write(piece);
  if (ending === 'cut' || 'content-length' in headers) response.write('', () => response.destroy());
  else response.end();
}

async function pour(response: ServerResponse, piece: string): Promise<void> {
  let isOpen = true;
  const closed = once(response, 'close').then(() => {
    isOpen = false;
  });
  while (isOpen) if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
}

const useOnce = async (service: ReturnType<typeof serve>) => {
  const connection = await service.connect(here, 'wiki');
  try {
    return await connection.call('echo', {}, never);
  } finally {
    await connection.close();
  }
};

describe('a connector that answers wrongly', () => {
  it.each(Object.keys(answers))('%s: a result, or a 502 or 504, and the next call works', async (method) => {
    const fake = await startFakeMcp();
    const service = serve(fake, 0.3);
    const seed = Number(process.env.TRAMONTANE_TEST_SEED ?? 99) + method.length;
    const random = createRandom(seed);
    for (let round = 0; round < rounds(6, 400); round++) {
      let last: WireAnswer | undefined;
      fake.instead = (_request, response, message) => {
        if (message?.method !== method) return false;
        const valid = answers[method]?.(message.id);
        last = mutateAnswer(random, random() < 0.5 ? { json: valid } : { events: [valid] }, false);
        write(response, last);
        return true;
      };
      const failure = await useOnce(service).then(
        () => undefined,
        (error: unknown) => error,
      );
      // A tool that is not listed any more is the connector's own change, which the model is told.
      const expected = expect.toSatisfy(
        ({ status, code }) => [502, 504].includes(status) || code === 'connector_tool_not_found',
      );
      const about = `round ${round} of seed ${seed}: ${last?.mutations.join(', ')}\n${last?.pieces.join('').slice(0, 1000)}`;
      if (failure !== undefined) expect(failure, about).toEqual(expected);
      if (round % 6 !== 5) continue;
      fake.instead = undefined;
      expect((await useOnce(serve(fake, 20))).parts).toHaveLength(1);
    }
  });

  const json = { 'content-type': 'application/json' };
  const events = { 'content-type': 'text/event-stream' };
  it.each<[string, string, Record<string, string>, string, string]>([
    ['a result of 500 MiB', 'tools/call', json, '{"a":"', 'x'.repeat(65_536)],
    ['a line without end', 'tools/call', events, 'data: ', 'x'.repeat(65_536)],
    [
      'events without end',
      'tools/call',
      events,
      '',
      'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'.repeat(500),
    ],
    [
      'questions without end',
      'tools/call',
      events,
      '',
      'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'.repeat(500),
    ],
    ['comments without end', 'tools/list', events, '', ': ping\n\n'.repeat(1000)],
    ['brackets', 'tools/list', json, '', '['.repeat(65_536)],
  ])('%s is cut off and explained', async (_name, method, headers, first, piece) => {
    const fake = await startFakeMcp();
    fake.instead = (_request, response, message) => {
      if (message?.method !== method) return false;
      response.writeHead(200, headers).write(first);
      void pour(response, piece);
      return true;
    };
    expect(await useOnce(serve(fake, 30)).catch((error: unknown) => error)).toMatchObject({
      status: 502,
      message: "The connector 'wiki' answered with more than this server takes.",
    });
    expect(fake.seen.length).toBeLessThan(100);
  });

  it('lists of tools without end are given up', async () => {
    const fake = await startFakeMcp();
    let pages = 0;
    fake.instead = (_request, response, message) => {
      if (message?.method !== 'tools/list') return false;
      pages += 1;
      const tools = [{ name: `t${pages}`, description: 'x'.repeat(2 * MEBIBYTE), inputSchema: { type: 'object' } }];
      const result = { tools, nextCursor: `${pages}` };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return true;
    };
    await expect(serve(fake, 20).connect(here, 'wiki')).rejects.toMatchObject({ status: 502 });
    expect(pages).toBeLessThan(6);
  });
});
