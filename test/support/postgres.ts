import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string | undefined;
  }
}

const DEBIAN_ROOT = '/usr/lib/postgresql';
/** Hundreds of small databases that live for seconds: tidying them up and compiling queries takes more than it saves. */
const SHORT_LIVED = ['autovacuum=off', 'jit=off', 'full_page_writes=off', 'synchronous_commit=off'];

/**
 * Starts one PostgreSQL for the whole run where it is installed, or uses TRAMONTANE_TEST_POSTGRES_URL. Without either,
 * the tests on PostgreSQL are skipped and the closing lines of the run say so.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TRAMONTANE_TEST_POSTGRES_URL;
  const bin = given ? undefined : findPrograms();
  if (given || !bin) {
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  const { url, stop } = await startPostgres(bin, SHORT_LIVED);
  project.provide('postgresUrl', url);
  return stop;
}

export function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(DEBIAN_ROOT, version, 'bin')).find((dir) => existsSync(join(dir, 'initdb')));
}

export async function startPostgres(
  bin: string,
  settings: readonly string[] = [],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-postgres-'));
  // PostgreSQL refuses to run as root, so root starts it as the user of Debian's package.
  const account = process.getuid?.() === 0 ? postgresAccount() : undefined;
  if (account) chownSync(dir, account.uid, account.gid);
  const data = join(dir, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...account, cwd: dir, stdio: 'ignore' },
  );
  const port = await freePort();
  const server = spawn(
    join(bin, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${dir}`,
      '-c',
      'fsync=off',
      '-c',
      'max_connections=300',
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { ...account, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await new Promise<void>((resolve, reject) => {
    let output = '';
    server.stderr.on('data', (chunk) => {
      output += chunk;
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
  });
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function postgresAccount(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
