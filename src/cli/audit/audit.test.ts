import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';

function tamper(environment: { TRAMONTANE_DATA_DIR?: string | undefined }, statement: string) {
  const database = new SqliteConnection(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
  database.exec(`drop trigger audit_logs_no_update; drop trigger audit_logs_no_delete; ${statement}`);
  database.close();
}

it('a whole log is told with its heads', async () => {
  const { environment } = await preparePlatform();
  const { code, data } = await runJson(['audit', 'verify'], environment);
  expect(code).toBe(0);
  expect(data).toEqual({ ok: true, organizations: 1, entries: 4, heads: [expect.objectContaining({ log_id: 4 })] });
  const { stdout } = await run(['audit', 'verify'], environment);
  expect(stdout).toContain('intact: 4 entries of 1 organization');
  expect(stdout).toContain(data.heads[0].hash);
});

it('a changed entry is told with its place, and the code is 1', async () => {
  const { environment } = await preparePlatform();
  tamper(environment, `update audit_logs set event_type = 'user.delete' where log_id = 2`);
  expect(await run(['audit', 'verify'], environment)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^broken: entry 2 of organization \S+ \(altered\)\n$/),
  });
  expect(await runJson(['audit', 'verify'], environment)).toMatchObject({
    code: 1,
    data: { ok: false, log_id: 2, problem: 'altered' },
  });
});

it('one organization can be checked by itself, and one that is not there is no success', async () => {
  const { environment } = await preparePlatform();
  await run(['orgs', 'create', '--name', 'Acme'], environment);
  const { data } = await runJson(['audit', 'verify', '--organization', 'Acme'], environment);
  expect(data).toMatchObject({ ok: true, organizations: 1, entries: 3 });
  expect(await run(['audit', 'verify', '--organization', 'Acne'], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no organization 'Acne'"),
  });
});

it('heads that were noted earlier must still be in the log', async () => {
  const { environment } = await preparePlatform();
  const noted = join(temporaryDir(), 'heads.json');
  const { data } = await runJson(['audit', 'verify'], environment);
  writeFileSync(noted, JSON.stringify(data));
  await run(['orgs', 'create', '--name', 'Acme'], environment);
  expect((await run(['audit', 'verify', '--noted', noted], environment)).code).toBe(0);

  const [head] = data.heads;
  writeFileSync(noted, JSON.stringify({ heads: [{ ...head, hash: '0'.repeat(64) }] }));
  expect(await runJson(['audit', 'verify', '--noted', noted], environment)).toMatchObject({
    code: 1,
    data: { ok: false, problem: 'rebuilt' },
  });
  writeFileSync(noted, 'not json');
  expect(await run(['audit', 'verify', '--noted', noted], environment)).toMatchObject({
    code: 1,
    stderr: `${noted} is not the output of: tramontane audit verify --json\n`,
  });
});
