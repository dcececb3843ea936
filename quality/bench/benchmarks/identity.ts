import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { compareServers, figuresOf, type Server } from '../compare-servers.ts';

const GENERATE_LOAD = new URL('../processes/generate-load.ts', import.meta.url);
const SERVE_BARE = new URL('../processes/serve-bare.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const PATH = '/v1/users/me';
const AFTER_REST = 'after a rest: ';
const PROFILE_LIMIT_MS = 60_000;
const RATIO_MIN = 0.85;
/** A server that has nothing to do for so long has collected all garbage, V8's own way and ours. */
const REST_MS = 20_000;

export const identity: Benchmark = {
  name: 'identity',
  summary: 'warm authenticated GET /v1/users/me against a bare Fastify route with the same body, on one core',
  run: ({ quick, profileDir, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const generator = start(GENERATE_LOAD, { role: 'load', urgent: true });
        const servers = await startServers(start, directory, profileDir);
        const compare = (what: string) =>
          compareServers({
            generator,
            ...servers,
            rounds: quick ? 5 : 25,
            progress: (round) => progress(`identity: ${what}round ${round}`),
          });
        const pairs = await compare('');
        await servers.ours.child.ask('rest');
        await delay(REST_MS);
        const rested = await compare(AFTER_REST);
        if (profileDir) await servers.ours.child.end('SIGTERM', PROFILE_LIMIT_MS);
        return [...figuresOf(pairs, '', RATIO_MIN), ...figuresOf(rested, AFTER_REST, RATIO_MIN)];
      }),
    ),
};

type Servers = { ours: Server; theirs: Server };

async function startServers(start: StartChild, directory: string, profileDir: string | undefined): Promise<Servers> {
  const platform = start(SERVE_PLATFORM, {
    role: 'server',
    urgent: true,
    env: { TRAMONTANE_DATA_DIR: join(directory, 'data') },
    nodeArgs: profileDir ? ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileDir}`] : [],
  });
  const bare = start(SERVE_BARE, { role: 'server', urgent: true });
  const { port, key } = await platform.ask<{ port: number; key: string }>('address');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers });
  const served = await bare.ask<{ port: number }>('serve', await response.json());
  return {
    ours: { child: platform, target: { port, key, path: PATH } },
    theirs: { child: bare, target: { port: served.port, key, path: '/' } },
  };
}
