import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { postgresForTests, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import type { Environment } from '../../config/environment.ts';
import { createBlobs } from '../../kit/blobs/index.ts';
import { attachPartitions, detachPartitions, dropDetached } from '../../operator/backup/partitions-store.ts';
import { findProgram, preparePlatform, run, runJson, startCli } from '../run-for-tests.ts';

const serverUrl = inject('postgresUrl');
const newDir = (name = 'backup') => join(temporaryDir(), name);
const namesOf = (data: { organizations: { name: string }[] }) => data.organizations.map(({ name }) => name);

async function execute(environment: Environment, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: environment.TRAMONTANE_DATABASE_URL });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe.runIf(serverUrl && findProgram('pg_dump'))('on PostgreSQL', () => {
  const source = postgresForTests(serverUrl ?? '');
  const other = postgresForTests(serverUrl ?? '');
  const dir = newDir();
  let environment: Environment;
  let target: Environment;
  let sha256: string;
  beforeAll(async () => {
    ({ environment } = await preparePlatform(source));
    ({ environment: target } = await preparePlatform(other));
    const blobs = createBlobs({ dir: join(environment.TRAMONTANE_DATA_DIR ?? '', 'blobs') });
    ({ sha256 } = await blobs.put(Buffer.from('hello')));
    await run(['orgs', 'create', '--name', 'Acme'], environment);
    expect(await runJson(['backup', dir], environment)).toMatchObject({
      code: 0,
      data: { kind: 'postgres', files: 2 },
    });
  });

  it('a backup restores into an empty database, blobs and audit log included', async () => {
    await execute(target, 'drop schema public cascade; create schema public');
    expect(await run(['keys', 'list'], target)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no platform here yet'),
    });
    const { code, data } = await runJson(['restore', dir], target);
    expect(code).toBe(0);
    expect(data).toMatchObject({ restored: true, kind: 'postgres', audit: { ok: true, organizations: 2 } });
    expect(namesOf((await runJson(['orgs', 'list'], target)).data)).toEqual(['Default', 'Acme']);
    const blobs = createBlobs({ dir: join(target.TRAMONTANE_DATA_DIR ?? '', 'blobs') });
    expect(await blobs.verify(sha256)).toBe(true);
  });

  it('a database with a platform is replaced only with --force', async () => {
    await run(['orgs', 'create', '--name', 'After'], target);
    const fresh = { ...target, TRAMONTANE_DATA_DIR: newDir('data') };
    expect(await run(['restore', dir], fresh)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database \S+ on \S+ has a platform already\. Use --force .*\n$/),
    });
    expect(namesOf((await runJson(['orgs', 'list'], target)).data)).toEqual(['Default', 'Acme', 'After']);
    const { code, data } = await runJson(['restore', dir, '--force'], target);
    expect(code).toBe(0);
    expect(data.kept).toEqual([expect.stringContaining('blobs.before-restore-')]);
    expect(namesOf((await runJson(['orgs', 'list'], target)).data)).toEqual(['Default', 'Acme']);
  });

  it('partitions that a failed restore has detached are as they were', async () => {
    const database = await postgresForTests(serverUrl ?? '').open();
    const again = await database.transaction(async (tx) => {
      const found = await detachPartitions(tx);
      expect(found.length).toBeGreaterThan(0);
      expect(await detachPartitions(tx)).toEqual([]);
      await attachPartitions(tx, found);
      expect(new Set(await detachPartitions(tx))).toEqual(new Set(found));
      await dropDetached(tx, found);
      return detachPartitions(tx);
    });
    expect(again).toEqual([]);
    await database.close();
  });

  inFull.it('a database that a server uses is refused', async () => {
    const server = await startCli([], target);
    expect(await run(['restore', dir, '--force'], target)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\d+ other connections use the database .* Stop the servers .*\n$/),
    });
    await server.stop();
  });

  it('a database newer than the backup is refused, because its later tables would stay', async () => {
    await execute(target, `insert into migrations values ('9999-later', '2099', '0.0.1')`);
    expect(await run(['restore', dir, '--force'], target)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is newer than the backup \(9999-later\)\. Restore into an empty database/),
    });
  });

  it('--verify checks the files and that pg_restore can read them', async () => {
    expect(await runJson(['restore', dir, '--verify'])).toMatchObject({
      code: 0,
      data: { ok: true, kind: 'postgres', audit: null },
    });
  });

  it('a missing program is named', async () => {
    const nowhere = { ...environment, PATH: '/nowhere' };
    const target = newDir();
    for (const [args, program] of [
      [['backup', target], 'pg_dump'],
      [['restore', dir, '--verify'], 'pg_restore'],
    ] as const) {
      const { code, stderr } = await run([...args], nowhere);
      expect(stderr).toMatch(new RegExp(`^${program} was not found on PATH\\. Install .*\\n$`));
      expect(code).toBe(1);
    }
    expect(existsSync(`${target}.partial`)).toBe(false);
  });

  it('the password is passed in the environment and is no argument', async () => {
    const bin = temporaryDir();
    const record = join(bin, 'record');
    writeFileSync(
      join(bin, 'pg_dump'),
      `#!/bin/sh\necho "$PGPASSWORD|$*" > ${record}\necho "pg_dump: error: no" >&2\nexit 1\n`,
    );
    chmodSync(join(bin, 'pg_dump'), 0o755);
    const url = new URL(environment.TRAMONTANE_DATABASE_URL ?? '');
    url.password = 'p@ss word';
    const { code, stderr } = await run(['backup', newDir()], {
      ...environment,
      PATH: `${bin}:/bin:/usr/bin`,
      TRAMONTANE_DATABASE_URL: url.href,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'pg_dump failed: no\n' });
    const [password, args] = readFileSync(record, 'utf8').split('|');
    expect(password).toBe('p@ss word');
    expect(args).toContain('--format=custom');
    expect(args).not.toMatch(/p@ss|p%40ss/);
    expect(readdirSync(bin).sort()).toEqual(['pg_dump', 'record']);
  });
});
