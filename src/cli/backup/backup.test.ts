import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { openPlatform } from '../../compose/open-platform.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { version } from '../../config/version.ts';
import { createBlobs } from '../../kit/blobs/index.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';

const newDir = (name = 'backup') => join(temporaryDir(), name);
const elsewhere = (): Environment => ({ TRAMONTANE_DATA_DIR: newDir('data') });
const manifestOf = (dir: string) => JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));

async function backedUp() {
  const { environment, key } = await preparePlatform();
  const dir = newDir();
  expect(await run(['backup', dir], environment)).toMatchObject({ code: 0 });
  return { environment, key, dir };
}

async function withBlobs() {
  const { environment, key } = await preparePlatform();
  const blobs = createBlobs({ dir: join(environment.TRAMONTANE_DATA_DIR!, 'blobs') });
  const stored = await blobs.put(Buffer.from('hello'));
  writeFileSync(join(environment.TRAMONTANE_DATA_DIR!, 'blobs/tmp/half'), 'half');
  writeFileSync(join(environment.TRAMONTANE_DATA_DIR!, 'blobs/.DS_Store'), 'a file manager was here');
  return { environment, key, sha256: stored.sha256 };
}

describe('backup', () => {
  it('writes the database, the blobs and a manifest, and leaves nothing half-made', async () => {
    const { environment, sha256 } = await withBlobs();
    const dir = newDir();
    const { code, data } = await runJson(['backup', dir], environment);
    expect(code).toBe(0);
    expect(data).toMatchObject({ dir, kind: 'sqlite', program_version: version, files: 2 });
    expect(manifestOf(dir)).toEqual({
      format: 1,
      kind: 'sqlite',
      program_version: version,
      created_at: expect.stringMatching(/^\d{4}-/),
      migrations: expect.arrayContaining(['0001-foundations']),
      files: [
        { path: 'tramontane.db', bytes: statSync(join(dir, 'tramontane.db')).size, sha256: expect.any(String) },
        { path: `blobs/${sha256.slice(0, 2)}/${sha256.slice(2)}`, bytes: 5, sha256 },
      ],
    });
    expect(readdirSync(dir).sort()).toEqual(['blobs', 'manifest.json', 'tramontane.db']);
    expect(existsSync(`${dir}.partial`)).toBe(false);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('says where it is and how to check it', async () => {
    const { environment } = await preparePlatform();
    const dir = newDir();
    expect(await run(['backup', dir], environment)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`npx tramontane restore ${dir} --verify`),
    });
  });

  it('does not touch a target that exists, nor one that is being written', async () => {
    const { environment, dir } = await backedUp();
    const before = readFileSync(join(dir, 'manifest.json'), 'utf8');
    expect(await run(['backup', dir], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    });
    expect(readFileSync(join(dir, 'manifest.json'), 'utf8')).toBe(before);
    const other = newDir();
    mkdirSync(`${other}.partial`);
    expect(await run(['backup', other], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another backup is being written'),
    });
  });

  it('to a place that cannot be written fails in one line', async () => {
    const { environment } = await preparePlatform();
    const file = newDir('file');
    writeFileSync(file, '');
    const { code, stderr } = await run(['backup', join(file, 'backup')], environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Making .* failed: EEXIST.*\n$/);
  });

  it('keeps a database of an older program as it is', async () => {
    const { environment } = await preparePlatform();
    const database = new SqliteConnection(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
    database.exec(`delete from migrations; insert into migrations values ('0001-foundations', '2020-01-01', '0.0.1')`);
    database.close();
    const dir = newDir();
    expect((await run(['backup', dir], environment)).code).toBe(0);
    expect(manifestOf(dir).migrations).toEqual(['0001-foundations']);
  });

  it('is consistent while five writers write, and ends although they do not', async () => {
    const { environment } = await preparePlatform();
    const platform = await openPlatform(loadConfig(environment));
    // Several steps of the copy: with a single one there would be nothing to interrupt.
    const filler = 'x'.repeat(100_000);
    await platform.database.transaction(async (tx) => {
      for (let seq = 1; seq <= 200; seq++) {
        const row = { stream: 'filler', seq, type: 't', data: { filler }, created_at: '' };
        await tx
          .insertInto('whole_events' as never)
          .values(row as never)
          .execute();
      }
    });
    let isWriting = true;
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let i = 0; isWriting; i++) {
        await platform.tenants.createOrganization({
          name: `${writer}-${i}`,
          plan: 'team',
          ownerEmail: `o${writer}@x.test`,
        });
        // Lets the other writers and the copy have their turns.
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const dir = newDir();
    const ended = await run(['backup', dir], environment);
    isWriting = false;
    await Promise.all(writers);
    const written = (await platform.tenants.listOrganizations()).length;
    await platform.close();
    expect(ended).toMatchObject({ code: 0 });

    const target = elsewhere();
    expect(await run(['restore', dir], target)).toMatchObject({ code: 0 });
    const restored = new SqliteConnection(join(target.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
    const count = (what: string) => (restored.prepare(`select count(*) as n from ${what}`).get() as { n: number }).n;
    const organizations = count('organizations');
    expect(organizations).toBeLessThan(written);
    expect(count('workspaces')).toBe(organizations);
    expect(count('organization_members')).toBe(organizations);
    expect(count('audit_heads')).toBe(organizations);
    expect(count('audit_logs')).toBe(organizations * 3 + 1);
    restored.close();
    expect(await runJson(['audit', 'verify'], target)).toMatchObject({ code: 0, data: { ok: true, organizations } });
  });
});
