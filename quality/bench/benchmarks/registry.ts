import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { compareServers, figuresOf } from '../compare-servers.ts';
import { median } from '../statistics.ts';

const FILL_REGISTRY = new URL('../processes/fill-registry.ts', import.meta.url);
const GENERATE_LOAD = new URL('../processes/generate-load.ts', import.meta.url);
const SERVE_BARE = new URL('../processes/serve-bare.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const RATIO_MIN = 0.85;
const GROWTH_MAX = 2;
const FEW = 1000;
const MANY = 1_000_000;
const MANY_QUICK = 20_000;
const FILL_LIMIT_MS = 180_000;
// Multiplied by the rounds it must stay below the 500 versions of the shorter history.
const REQUESTS_PER_ROUND = 40;
const WARM_ROUNDS = 2;
const HOT_PROMPTS = 50;
const MIXED = 'read any prompt by alias';

export const registry: Benchmark = {
  name: 'registry',
  summary: 'a prompt read by alias against a bare Fastify route, and 1,000,000 versions in one workspace against 1,000',
  run: (options) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const few = await openRegistry(start, join(directory, 'few'), FEW);
        const reading = await compareReading(start, few, options);
        options.progress('registry: filling');
        const many = await openRegistry(start, join(directory, 'many'), options.quick ? MANY_QUICK : MANY);
        return [...reading, ...(await compareSizes(few, many, options))];
      }),
    ),
};

type Registry = { port: number; key: string; prompts: number; child: ReturnType<StartChild> };
type Options = Parameters<Benchmark['run']>[0];

/** A server with a workspace of this many versions. */
async function openRegistry(start: StartChild, dataDir: string, versions: number): Promise<Registry> {
  const serve = () => start(SERVE_PLATFORM, { role: 'server', urgent: true, env: { TRAMONTANE_DATA_DIR: dataDir } });
  const first = serve();
  const { key } = await first.ask<{ key: string }>('address');
  await first.end();
  const filler = start(FILL_REGISTRY, { role: 'load', args: [join(dataDir, 'tramontane.db')] });
  const { prompts } = await filler.ask<{ prompts: number }>('fill', versions, FILL_LIMIT_MS);
  await filler.end();
  const child = serve();
  const { port } = await child.ask<{ port: number }>('address');
  return { port, key, prompts, child };
}

async function compareReading(start: StartChild, { port, key, child }: Registry, options: Options): Promise<Figure[]> {
  const path = '/v2/prompts/p7?alias=main';
  const bare = start(SERVE_BARE, { role: 'server', urgent: true });
  const body = JSON.parse(await ask({ port, key }, 'GET', path));
  const served = await bare.ask<{ port: number }>('serve', body);
  const pairs = await compareServers({
    generator: start(GENERATE_LOAD, { role: 'load', urgent: true }),
    ours: { child, target: { port, key, path } },
    theirs: { child: bare, target: { port: served.port, path: '/' } },
    rounds: options.quick ? 3 : 25,
    progress: (round) => options.progress(`registry: reading, round ${round}`),
  });
  await bare.end();
  return figuresOf(pairs, 'read by alias: ', RATIO_MIN);
}

/** The requests of a client, each for another prompt. */
const DEEDS: Record<string, (registry: Registry) => Promise<unknown>> = {
  'list, first page': (server) => ask(server, 'GET', '/v2/prompts'),
  'list, a page further on': async (server) => {
    const tokens = await deepTokens(server);
    return ask(server, 'GET', `/v2/prompts?sort_by=name&pageToken=${pick(tokens)}`);
  },
  'list by alias': (server) => ask(server, 'GET', '/v2/prompts?alias=main&sort_by=title'),
  'read by alias, again': (server) => ask(server, 'GET', `/v2/prompts/p${any(HOT_PROMPTS)}?alias=main`),
  'read a version for the first time': (server) => ask(server, 'GET', `/v2/prompts/long/versions/${next(server)}`),
  // With 1,000 versions every prompt is soon cached, with 1,000,000 hardly any: this compares cache hits with misses as
  // much as the two sizes, so it only informs.
  [MIXED]: (server) => ask(server, 'GET', `/v2/prompts/p${any(server.prompts)}?alias=main`),
  'create a version': (server) => ask(server, 'POST', `/v2/prompts/p${any(server.prompts)}/versions`, newVersion()),
  'create a version in a long history': (server) => ask(server, 'POST', '/v2/prompts/long/versions', newVersion()),
  'create a prompt': (server) => ask(server, 'POST', '/v2/prompts', { name: `new-${unique()}`, ...newVersion() }),
};

async function compareSizes(few: Registry, many: Registry, { quick, progress }: Options): Promise<Figure[]> {
  const rounds = quick ? 3 : 9;
  const figures: Figure[] = [];
  for (const [name, deed] of Object.entries(DEEDS)) {
    progress(`registry: ${name}`);
    const times = { few: [] as number[], many: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS + rounds; round++) {
      for (const size of round % 2 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
        const server = size === 'few' ? few : many;
        const startedAt = performance.now();
        for (let i = 0; i < REQUESTS_PER_ROUND; i++) await deed(server);
        if (round >= WARM_ROUNDS) times[size].push((performance.now() - startedAt) / REQUESTS_PER_ROUND);
      }
    }
    const [small, large] = [median(times.few), median(times.many)];
    figures.push({
      name: `${name}, many versions vs 1,000`,
      value: large / small,
      unit: '×',
      ...(name === MIXED ? {} : { target: { at: '≤', value: GROWTH_MAX } }),
      note: `${large.toFixed(2)} vs ${small.toFixed(2)} ms`,
    });
  }
  return figures;
}

const readOf = new Map<number, number>();

/** Each version of the long history once, so that no response is cached. */
function next({ port }: Registry): number {
  const version = (readOf.get(port) ?? 0) + 1;
  readOf.set(port, version);
  return version;
}

const tokensOf = new Map<number, string[]>();

/** Tokens of the pages after the first, collected once per server over twenty pages. */
async function deepTokens(server: Registry): Promise<string[]> {
  const known = tokensOf.get(server.port);
  if (known) return known;
  const tokens: string[] = [];
  for (let token: string | undefined = ''; token !== undefined && tokens.length < 20; ) {
    const path: string = `/v2/prompts?sort_by=name&pageSize=2${token && `&pageToken=${token}`}`;
    const page = JSON.parse(await ask(server, 'GET', path)) as { nextPageToken?: string };
    token = page.nextPageToken;
    if (token !== undefined) tokens.push(token);
  }
  tokensOf.set(server.port, tokens);
  return tokens;
}

const agent = new Agent({ keepAlive: true });

function ask(
  { port, key }: { port: number; key: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${method} ${path}: ${text.slice(0, 200)}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

let counter = 0;
const unique = () => `${process.pid}-${counter++}`;
const newVersion = () => ({ definition: { content: `New ${unique()} {{topic}}` }, aliases: ['main'] });
const any = (below: number) => Math.floor(Math.random() * below);
const pick = <T>(items: T[]): T | undefined => items[any(items.length)];
