import { hash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import type { Environment } from '../../config/environment.ts';
import { createBlobs } from '../../kit/blobs/index.ts';
import { preparePlatform, run, runJson, startCli } from '../run-for-tests.ts';

const newDir = (name = 'backup') => join(temporaryDir(), name);
const elsewhere = (): Environment => ({ TRAMONTANE_DATA_DIR: newDir('data') });
const namesIn = (environment: Environment) => readdirSync(environment.TRAMONTANE_DATA_DIR!).sort();

async function backedUp() {
  const { environment, key } = await preparePlatform();
  const dir = newDir();
  expect(await run(['backup', dir], environment)).toMatchObject({ code: 0 });
  return { environment, key, dir };
}

describe('restore', () => {
  it('into an empty data dir brings back a platform whose key works', async () => {
    const { environment, key } = await preparePlatform();
    const source = createBlobs({ dir: join(environment.TRAMONTANE_DATA_DIR!, 'blobs') });
    const { sha256 } = await source.put(Buffer.from('hello'));
    const dir = newDir();
    await run(['backup', dir], environment);
    const target = elsewhere();
    const { code, data } = await runJson(['restore', dir], target);
    expect(code).toBe(0);
    expect(data).toMatchObject({ dir, restored: true, files: 2, kept: [], audit: { ok: true, entries: 4 } });
    expect(namesIn(target)).toEqual(['blobs', 'server.lock', 'tramontane.db']);
    const blobs = createBlobs({ dir: join(target.TRAMONTANE_DATA_DIR!, 'blobs') });
    expect(await blobs.verify(sha256)).toBe(true);
    const server = await startCli([], target);
    const answer = await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    await server.stop();
  });

  it('refuses a data dir that has a database; --force keeps the old one beside the new', async () => {
    const { environment, dir } = await backedUp();
    await run(['orgs', 'create', '--name', 'After'], environment);
    expect(await run(['restore', dir], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The data dir \S+ has data already \(tramontane\.db\)\. Use --force .*\n$/),
    });
    const { code, data } = await runJson(['restore', dir, '--force'], environment);
    expect(code).toBe(0);
    expect(data.kept).toEqual([expect.stringMatching(/tramontane\.db\.before-restore-\d{4}-/)]);
    const names = async (file: string) => {
      const database = new SqliteConnection(file, { readonly: true });
      const rows = database.prepare('select name from organizations order by created_at').pluck().all();
      database.close();
      return rows;
    };
    expect(await names(data.kept[0])).toEqual(['Default', 'After']);
    expect(await names(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'))).toEqual(['Default']);
  });

  inFull.it('--force does not mix the log of a killed server into the restored database', async () => {
    const { environment, dir } = await backedUp();
    const server = await startCli([], environment);
    await run(['orgs', 'create', '--name', 'After'], environment);
    server.send('SIGKILL');
    await server.end;
    expect(namesIn(environment)).toContain('tramontane.db-wal');
    expect((await run(['restore', dir, '--force'], environment)).code).toBe(0);
    const { data } = await runJson(['orgs', 'list'], environment);
    expect(data.organizations.map(({ name }: { name: string }) => name)).toEqual(['Default']);
  });

  it('--force replaces a database that is damaged', async () => {
    const { environment, dir } = await backedUp();
    writeFileSync(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'), 'damaged');
    writeFileSync(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db-wal'), 'damaged');
    const { code, data } = await runJson(['restore', dir, '--force'], environment);
    expect(code).toBe(0);
    expect(data.kept).toHaveLength(2);
    expect((await run(['audit', 'verify'], environment)).code).toBe(0);
  });

  inFull.it('refuses while a server holds the data dir', async () => {
    const { environment, dir } = await backedUp();
    const server = await startCli([], environment);
    expect(await run(['restore', dir, '--force'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Another server uses the data dir .*\n$/),
    });
    await server.stop();
  });

  it('--verify checks a backup and touches nothing, not even the backup', async () => {
    const { dir } = await backedUp();
    chmodSync(join(dir, 'tramontane.db'), 0o400);
    const before = readdirSync(dir);
    const target = elsewhere();
    expect(await run(['restore', dir, '--verify'], target)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^The backup of \S+ is valid: 1 file checked, the audit log of 4 entries is intact\.\n$/,
      ),
    });
    expect(await runJson(['restore', dir, '--verify'], target)).toMatchObject({
      code: 0,
      data: { ok: true, audit: { entries: 4 } },
    });
    expect(readdirSync(dir)).toEqual(before);
    expect(existsSync(target.TRAMONTANE_DATA_DIR!)).toBe(false);
  });
});

describe('a backup that is not sound is refused by restore and by restore --verify', () => {
  const cases: [string, (dir: string) => void, RegExp][] = [
    [
      'a directory that is none',
      (dir) => cpSync(join(dir, 'tramontane.db'), join(dir, 'manifest.json')),
      /manifest\.json of .* is damaged/,
    ],
    [
      'a changed byte',
      (dir) => {
        const file = join(dir, 'tramontane.db');
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
        writeFileSync(file, bytes);
      },
      /is damaged: tramontane\.db has changed since it was written/,
    ],
    [
      'a missing file',
      (dir) =>
        rewrite(dir, (manifest) => manifest.files.push({ path: 'blobs/aa/bb', bytes: 1, sha256: '0'.repeat(64) })),
      /blobs\/aa\/bb cannot be read \(ENOENT\)/,
    ],
    [
      'a path that climbs out',
      (dir) =>
        rewrite(dir, (manifest) => manifest.files.push({ path: 'blobs/../../x', bytes: 1, sha256: '0'.repeat(64) })),
      /manifest\.json of .* is damaged/,
    ],
    [
      'a newer program',
      (dir) => rewrite(dir, (manifest) => Object.assign(manifest, { program_version: '99.0.0', surprise: 1 })),
      /made by tramontane 99\.0\.0; this is \S+ Restore it with that program or a newer one/,
    ],
    [
      'a migration nobody knows',
      (dir) => rewrite(dir, (manifest) => manifest.migrations.push('9999-x')),
      /needs a newer program: .* does not know 9999-x/,
    ],
    [
      'a broken audit log',
      (dir) =>
        edit(
          dir,
          `drop trigger audit_logs_no_update; update audit_logs set event_type = 'user.delete' where log_id = 2`,
        ),
      /audit log in the backup is broken: entry 2 of organization \S+ \(altered\)/,
    ],
    [
      'a damaged database under a right hash',
      (dir) => {
        const file = join(dir, 'tramontane.db');
        const bytes = readFileSync(file);
        bytes.fill(0xff, 4096 * 3, 4096 * 5);
        writeFileSync(file, bytes);
        rehash(dir);
      },
      /database in the backup is damaged/,
    ],
  ];

  let sound: string;
  beforeAll(async () => {
    ({ dir: sound } = await backedUp());
  });

  it.each(cases)('%s', async (_, spoil, message) => {
    const dir = newDir();
    cpSync(sound, dir, { recursive: true });
    spoil(dir);
    for (const flags of [['--verify'], []]) {
      const target = elsewhere();
      const { code, stderr } = await run(['restore', dir, ...flags], target);
      expect(stderr).toMatch(message);
      expect(stderr.trimEnd()).not.toContain('\n');
      expect(code).toBe(1);
      if (existsSync(target.TRAMONTANE_DATA_DIR!)) expect(namesIn(target)).toEqual(['server.lock']);
    }
  });

  it('a file under a right hash that is no database of ours', async () => {
    for (const content of ['this is no database, '.repeat(1000), '']) {
      const dir = newDir();
      cpSync(sound, dir, { recursive: true });
      writeFileSync(join(dir, 'tramontane.db'), content);
      rehash(dir);
      const { code, stderr } = await run(['restore', dir], elsewhere());
      expect(stderr).toMatch(/^The database in the backup is damaged: SQLITE_\w+\. Use another backup\.\n$/);
      expect(code).toBe(1);
    }
  });

  it('a place with no backup at all', async () => {
    const dir = newDir();
    const { code, stderr } = await run(['restore', dir], elsewhere());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${dir} is not a backup: it has no readable manifest.json.\n`,
    });
  });

  it('a backup of another kind of database', async () => {
    const { dir } = await backedUp();
    const environment = { ...elsewhere(), TRAMONTANE_DATABASE_URL: 'postgres://a@127.0.0.1:1/b' };
    expect(await run(['restore', dir], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This backup is of SQLite'),
    });
  });
});

type LooseManifest = { files: { path: string; bytes: number; sha256: string }[]; migrations: string[] };

function rewrite(dir: string, change: (manifest: LooseManifest) => void) {
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  change(manifest);
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
}

function edit(dir: string, statement: string) {
  const database = new SqliteConnection(join(dir, 'tramontane.db'));
  database.exec(statement);
  database.close();
  rehash(dir);
}

function rehash(dir: string) {
  const bytes = readFileSync(join(dir, 'tramontane.db'));
  rewrite(dir, ({ files }) => Object.assign(files[0]!, { bytes: bytes.length, sha256: hash('sha256', bytes) }));
}
