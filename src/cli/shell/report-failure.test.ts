import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { preparePlatform, run, startCli } from '../run-for-tests.ts';

/** One clear line, no stack, and the same words for a machine. */
async function expectFailure(
  args: string[],
  environment: Record<string, string | undefined>,
  code: number,
  message: RegExp,
) {
  const ended = await run([...args, '--json'], environment);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr.trimEnd()).not.toContain('\n');
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(JSON.parse(ended.stdout)).toEqual({ error: ended.stderr.trimEnd() });
  expect(ended.code).toBe(code);
  return ended;
}

function place(yaml?: string) {
  const dir = temporaryDir();
  if (yaml !== undefined) writeFileSync(join(dir, 'tramontane.yaml'), yaml);
  return { TRAMONTANE_DATA_DIR: join(dir, 'data'), TRAMONTANE_PORT: '0' };
}

async function takePort(): Promise<number> {
  const other = createServer();
  afterAll(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function madeByNewerProgram() {
  const { environment } = await preparePlatform();
  const database = new SqliteConnection(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
  database.exec(`insert into migrations values ('9999-future', '2099-01-01', '99.0.0')`);
  database.close();
  return environment;
}

async function madeByOlderProgram() {
  const { environment } = await preparePlatform();
  const database = new SqliteConnection(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
  database.prepare('delete from migrations where name = ?').run(migrations.at(-1)!.name);
  database.exec(`insert into migrations values ('0000-older', '2020-01-01', '0.0.1')`);
  database.close();
  return environment;
}

describe('a start that cannot go on says why in one line', () => {
  it('when the port is taken', async () => {
    const port = await takePort();
    await expectFailure(
      ['start', '--port', String(port)],
      place(),
      1,
      new RegExp(`Port ${port} on 127.0.0.1 is taken`),
    );
  });

  it('when the machine has no such address', async () => {
    await expectFailure(['start', '--host', '203.0.113.1'], place(), 1, /no address 203\.0\.113\.1/);
  });

  it('when the data dir cannot be written', async () => {
    const file = join(temporaryDir(), 'file');
    writeFileSync(file, '');
    await expectFailure(
      ['start', '--data-dir', join(file, 'data')],
      place(),
      1,
      /data dir .* cannot be written \(ENOTDIR\)/,
    );
    await expectFailure(['start', '--data-dir', file], place(), 1, /data dir .* cannot be written \(EEXIST\)/);
  });

  inFull.it('when another server uses the data dir', async () => {
    const { TRAMONTANE_DATA_DIR } = place();
    const server = await startCli([], { TRAMONTANE_DATA_DIR });
    await expectFailure(
      ['start'],
      { TRAMONTANE_DATA_DIR, TRAMONTANE_PORT: '0' },
      1,
      /Another server uses the data dir/,
    );
    await server.stop();
  });

  it('when the database cannot be reached, and the password stays out of it', async () => {
    const TRAMONTANE_DATABASE_URL = 'postgres://somebody:hunter2@127.0.0.1:1/platform';
    const environment = { ...place(), TRAMONTANE_DATABASE_URL };
    for (const args of [['start'], ['keys', 'list'], ['backup', join(temporaryDir(), 'b')]]) {
      const { stderr } = await expectFailure(
        args,
        environment,
        1,
        /database platform on 127.0.0.1:1 cannot be used \(.*ECONNREFUSED/,
      );
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('when the database was made by a newer program', async () => {
    const environment = await madeByNewerProgram();
    for (const args of [
      ['start', '--port', '0'],
      ['keys', 'list'],
      ['backup', join(temporaryDir(), 'b')],
    ]) {
      await expectFailure(args, environment, 1, /needs tramontane 99\.0\.0 or newer; this is/);
    }
  });

  it('when the database is damaged', async () => {
    const { environment } = await preparePlatform();
    writeFileSync(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'), 'this is no database, '.repeat(1000));
    for (const args of [
      ['start', '--port', '0'],
      ['keys', 'list'],
      ['backup', join(temporaryDir(), 'b')],
    ]) {
      await expectFailure(args, environment, 1, /database in .* is damaged \(SQLITE_NOTADB\)\. Restore a backup/);
    }
  });
});

describe('a wrong configuration ends with code 2 and one line', () => {
  it.each([
    ['broken YAML', 'models: [', /tramontane\.yaml:\d+: /],
    ['an unknown key', 'modles: []', /tramontane\.yaml:1: unknown key 'modles'\. Did you mean 'models'\?/],
    ['a variable that is not set', 'models:\n  - id: ${NOT_SET}', /the environment variable NOT_SET is not set/],
  ])('%s', async (_, yaml, message) => {
    await expectFailure(['start'], place(yaml), 2, message);
    await expectFailure(['keys', 'list'], place(yaml), 2, message);
  });

  it('a port that is none', async () => {
    await expectFailure(
      ['start', '--port', 'http'],
      place(),
      2,
      /TRAMONTANE_PORT must be a number from 0 to 65535, not 'http'/,
    );
  });

  it('a file that is not there', async () => {
    await expectFailure(['start', '--config', '/nowhere.yaml'], place(), 2, /nowhere\.yaml.*does not exist/);
  });
});

describe('the operator’s commands', () => {
  const commands = [
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke', 'x'],
    ['orgs', 'create', '--name', 'A'],
    ['orgs', 'list'],
    ['orgs', 'set-plan', 'A', 'team'],
    ['audit', 'verify'],
    ['backup', 'target'],
  ];

  it.each(commands.map((args) => [args.join(' '), args] as const))(
    '%s makes no platform where there is none',
    async (_, args) => {
      const environment = place();
      await expectFailure(args, environment, 1, /no platform here yet: run tramontane start first/);
      await expect(
        import('node:fs/promises').then(({ access }) => access(environment.TRAMONTANE_DATA_DIR)),
      ).rejects.toThrow('ENOENT');
    },
  );

  it('leave the upgrade of a database to the server', async () => {
    const environment = await madeByOlderProgram();
    await expectFailure(
      ['keys', 'list'],
      environment,
      1,
      /made by an older program and lacks .*: run tramontane start once/,
    );
  });
});

describe('an error that nobody foresaw', () => {
  it('is one line and the way to the stack, which comes only when asked for', async () => {
    const { environment } = await preparePlatform();
    const database = new SqliteConnection(join(environment.TRAMONTANE_DATA_DIR!, 'tramontane.db'));
    database.exec('drop table api_keys');
    database.close();
    const quiet = await run(['keys', 'list'], environment);
    expect(quiet.stderr).toMatch(
      /^Unexpected error: no such table: api_keys\nset TRAMONTANE_LOG_LEVEL=debug to see the stack\n$/,
    );
    expect(quiet.code).toBe(1);
    const loud = await run(['keys', 'list'], { ...environment, TRAMONTANE_LOG_LEVEL: 'debug' });
    expect(loud.stderr).toMatch(/^Unexpected error: no such table: api_keys\n.*\n\s+at /);
  });
});
