import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { createOutbound, type Outbound } from '../../kit/outbound/index.ts';
import { createSearch, ownSearchAddress } from './search-providers.ts';

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string };

let url = '';
let outbound: Outbound;
let answer: unknown;
const asked: Asked[] = [];
beforeAll(async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push({ method: request.method, url: request.url, headers: request.headers, body });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${place}/`;
  outbound = createOutbound({ allow: [place] });
  atEnd(() => outbound.close());
});
const hit = { title: 'Wind', url: 'https://example.com/wind' };
const found = [{ ...hit, description: 'Cold.' }];
const { signal } = new AbortController();

it.each([
  ['searxng', { results: [{ ...hit, content: 'Cold.' }] }],
  ['brave', { web: { results: [{ ...hit, description: 'Cold.' }] } }],
  ['tavily', { results: [{ ...hit, content: 'Cold.' }] }],
] as const)('%s is asked in its own words, and what it found is read', async (provider, said) => {
  answer = said;
  const search = createSearch({ provider, url, api_key: 'key', results: 3 }, outbound);
  expect(await search('wind & sea', { premium: false, signal })).toEqual(found);
  expect(await search('wind & sea', { premium: true, signal })).toEqual(found);
  const [plain, premium] = asked.splice(0);
  const shown = {
    searxng: { method: 'GET', url: '/search?q=wind+%26+sea&format=json' },
    brave: {
      method: 'GET',
      url: '/res/v1/web/search?q=wind+%26+sea&count=3',
      headers: { 'x-subscription-token': 'key' },
    },
    tavily: {
      method: 'POST',
      url: '/search',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify({ query: 'wind & sea', max_results: 3, search_depth: 'basic' }),
    },
  };
  expect(plain).toMatchObject(shown[provider]);
  const better = { searxng: 'format=json', brave: 'extra_snippets=true', tavily: '"search_depth":"advanced"' };
  expect(`${premium?.url}${premium?.body}`).toContain(better[provider]);
});

it.each([[null], [{}], [{ results: 'none' }], [{ results: [{ title: 'no address' }] }]])(
  'an answer without results finds nothing: %j',
  async (said) => {
    answer = said;
    const search = createSearch({ provider: 'searxng', url, results: 3 }, outbound);
    expect(await search('x', { premium: false, signal })).toEqual([]);
  },
);

it('a provider may be on a private address where the operator says so, or where a SearXNG is by default', () => {
  expect(ownSearchAddress({ provider: 'brave', results: 1 })).toBeUndefined();
  expect(ownSearchAddress({ provider: 'brave', url: 'http://10.0.0.1/', results: 1 })).toBe('http://10.0.0.1');
  expect(ownSearchAddress({ provider: 'searxng', results: 1 })).toBe('http://127.0.0.1:8888');
});

it.each<[string, unknown, unknown]>([
  ['null', null, []],
  ['results that are null', { results: [null, 7, { ...hit, content: 'Cold.' }] }, found],
  [
    'a title that is a list',
    { results: [{ ...hit, title: [[]], content: {} }] },
    [{ ...hit, title: hit.url, description: '' }],
  ],
  ['an address without end', { results: [{ ...hit, url: `https://example.com/${'x'.repeat(3000)}` }] }, []],
  [
    'a text without end',
    { results: [{ ...hit, content: 'x'.repeat(9000) }] },
    [{ ...hit, description: 'x'.repeat(4096) }],
  ],
])('%s of a provider is no failure of ours', async (_name, said, hits) => {
  answer = said;
  const search = createSearch({ provider: 'searxng', url, results: 3 }, outbound);
  expect(await search('wind', { premium: false, signal })).toEqual(hits);
});
