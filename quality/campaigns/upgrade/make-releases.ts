import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { startScript } from '../../../src/conversations/conversations-for-tests.ts';
import { cleanUp } from '../../../test/support/cleanup.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import { fill } from './fill.ts';
import { dumpPostgres, dumpSqlite, type Kept, keepRelease, readFiles } from './releases.ts';

/*
 * Makes the fixtures of released databases: node quality/campaigns/upgrade/make-releases.ts [commit…]
 *
 * There is one for each set of migrations of the main branch on which a server could run. The program of that commit is
 * started on both databases, objects are created through its API, and its data is stored with what it read back.
 * Without arguments all of them are regenerated, in the order of their release.
 */
const ROOT = resolve(import.meta.dirname, '../../..');
const KEY = 'the-key-of-the-released-programs-0123456789';
const ADMIN_KEY = 'the-admin-key-of-the-released-programs-0123456789';
const PORT = '14747';
const READY_MS = 60_000;

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim();

const bin = findPrograms();
if (!bin) throw new Error("This starts a PostgreSQL: install Debian's package postgresql.");
const postgres = await startPostgres(bin);
const { upstream } = await startScript();
try {
  const changes = git('log', '--first-parent', '--reverse', '--format=%h', 'main', '--', 'migrations').split('\n');
  // The last commit of each set: a merge may be incomplete until the next one.
  const commits = changes.map((_, n) =>
    git('rev-parse', '--short', n + 1 < changes.length ? `${changes[n + 1]}^1` : 'main'),
  );
  let number = 0;
  for (const commit of commits) {
    // Earlier programs had a database and a server, but no usable API.
    if (git('ls-tree', '--name-only', commit, 'src/tenants/routes.ts', 'src/main.ts').split('\n').length < 2) continue;
    number++;
    if (process.argv.length === 2 || process.argv.includes(commit)) await release(number, commit);
  }
} finally {
  await cleanUp();
  await postgres.stop();
}

async function release(number: number, commit: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tramontane-release-'));
  try {
    const tree = join(directory, 'program');
    mkdirSync(tree);
    execFileSync('sh', ['-c', `git -C "${ROOT}" archive ${commit} | tar -x -C "${tree}"`]);
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    writeFileSync(
      join(tree, 'tramontane.yaml'),
      JSON.stringify({ models: [{ id: 'small', engine: 'upstream', url: upstream.url }] }),
    );
    const sqlite = await keepSqlite(tree, join(directory, 'sqlite'));
    const onPostgres = await keepPostgres(tree, join(directory, 'postgres'), `release_${number}`);
    const name = keepRelease(number, { sqlite, postgres: onPostgres });
    console.log(`${name} of ${commit}: ${sqlite.migrations.length} migrations, ${sqlite.reads.length} things read`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function keepSqlite(tree: string, dataDir: string): Promise<Kept> {
  const reads = await runProgram(tree, { TRAMONTANE_DATA_DIR: dataDir });
  const db = new Database(join(dataDir, 'tramontane.db'));
  db.pragma('wal_checkpoint(TRUNCATE)');
  const migrations = db.prepare('select name from migrations order by applied_at, name').pluck().all() as string[];
  const data = dumpSqlite(db);
  db.close();
  return { migrations, data, files: readFiles(dataDir), reads };
}

async function keepPostgres(tree: string, dataDir: string, name: string): Promise<Kept> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
  const reads = await runProgram(tree, { TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_DATABASE_URL: url });
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  const { rows } = await reader.query<{ name: string }>('select name from migrations order by applied_at, name');
  await reader.end();
  return { migrations: rows.map((row) => row.name), data: dumpPostgres(url), files: readFiles(dataDir), reads };
}

async function runProgram(tree: string, environment: Record<string, string>): Promise<Kept['reads']> {
  const child = spawn(process.execPath, [join(tree, 'bin/tramontane.js'), 'start'], {
    cwd: tree,
    env: {
      PATH: process.env.PATH,
      TRAMONTANE_PORT: PORT,
      TRAMONTANE_CONFIG: join(tree, 'tramontane.yaml'),
      TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
      TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      TRAMONTANE_AUTO_PULL: 'off',
      TRAMONTANE_CONSOLE: 'off',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(child, 'close');
  try {
    await ready(`http://127.0.0.1:${PORT}`);
    return await fill({ url: `http://127.0.0.1:${PORT}`, key: KEY, adminKey: ADMIN_KEY });
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
}

async function ready(url: string): Promise<void> {
  for (const since = performance.now(); performance.now() - since < READY_MS; await delay(100)) {
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200) return;
  }
  throw new Error('The released program did not start.');
}
