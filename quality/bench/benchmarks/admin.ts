import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const FILL = new URL('../processes/fill-organization.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const ADMIN_KEY = 'bench-admin-key-0123456789abcdefghij';
const GROWTH_MAX = 2;
const FILL_LIMIT_MS = 120_000;
const SMALL = { users: 30, workspaces: 30, groups: 30 };
const LARGE = { users: 10_000, workspaces: 1000, groups: 1000 };
const REQUESTS_PER_ROUND = 20;
const WARM_ROUNDS = 3;

/** Both organizations fill a first page. */
const LISTS: Record<string, string> = {
  'users, first page': '/users',
  'users, last page': '/users?page_size=10&page={last}',
  'workspaces, first page': '/workspaces',
  'user groups, first page': '/user-groups',
  'members of a group, first page': '/user-groups/{group}/members',
  'API keys, first 25': '/api-keys?limit=25',
  'audit log, newest': '/audit-logs',
};
/** Operations that look at every member, or page far, cost more with the size; these only inform. */
const INFORMING: Record<string, string> = {
  'users, a page in the middle': '/users?page_size=10&page={middle}',
  'users whose address holds a text': '/users?email=user1',
};

export const admin: Benchmark = {
  name: 'admin',
  summary: 'lists of an organization with 10,000 users and 1,000 workspaces against one with 30 of each',
  run: (options) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        options.progress('admin: filling');
        const small = await openOrganization(start, join(directory, 'small'), SMALL);
        const large = await openOrganization(start, join(directory, 'large'), LARGE);
        return compare(small, large, options);
      }),
    ),
};

type Organization = { port: number; group: string; last: number; middle: number };

async function openOrganization(start: StartChild, dataDir: string, size: typeof SMALL): Promise<Organization> {
  const env = { TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY };
  const serve = () => start(SERVE_PLATFORM, { role: 'server', urgent: true, env });
  const first = serve();
  await first.ask('address');
  await first.end();
  const filler = start(FILL, { role: 'load', args: [join(dataDir, 'tramontane.db')] });
  await filler.ask('fill', size, FILL_LIMIT_MS);
  await filler.end();
  const { port } = await serve().ask<{ port: number }>('address');
  const { items } = JSON.parse(await ask(port, '/user-groups')) as { items: { uuid: string }[] };
  const last = Math.ceil((size.users + 1) / 10);
  return { port, group: items[0]?.uuid ?? '', last, middle: Math.ceil(last / 2) };
}

async function compare(small: Organization, large: Organization, options: BenchmarkOptions): Promise<Figure[]> {
  const rounds = options.quick ? 3 : 9;
  const figures: Figure[] = [];
  for (const [name, path] of Object.entries({ ...LISTS, ...INFORMING })) {
    options.progress(`admin: ${name}`);
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS + rounds; round++) {
      for (const size of round % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
        const { port, group, last, middle } = size === 'small' ? small : large;
        const numbers = path.replace('{last}', String(last)).replace('{middle}', String(middle));
        const filled = numbers.replace('{group}', group);
        const startedAt = performance.now();
        for (let i = 0; i < REQUESTS_PER_ROUND; i++) await ask(port, filled);
        if (round >= WARM_ROUNDS) times[size].push((performance.now() - startedAt) / REQUESTS_PER_ROUND);
      }
    }
    const [few, many] = [median(times.small), median(times.large)];
    figures.push({
      name,
      value: many / few,
      unit: '×',
      ...(name in LISTS ? { target: { at: '≤', value: GROWTH_MAX } } : {}),
      note: `${many.toFixed(2)} vs ${few.toFixed(2)} ms`,
    });
  }
  return figures;
}

const agent = new Agent({ keepAlive: true });

function ask(port: number, path: string): Promise<string> {
  const options = { host: '127.0.0.1', port, path: `/v1/admin${path}`, headers: { 'x-api-key': ADMIN_KEY }, agent };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${text.slice(0, 200)}`)),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}
