import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { type Program, type ProgramOptions, startProgram } from '../engines/sandbox/index.ts';
import { bubblewrap } from '../engines/sandbox/sandboxes-for-tests.ts';
import type { ProgramConfig } from './schema/connections.ts';
import { callOnce, failureOf, here, never, serveConnector } from './serve-for-tests.ts';

const script = fileURLToPath(new URL('program-for-tests.ts', import.meta.url));
const MEBIBYTE = 1024 * 1024;

function serveProgram(
  given: Partial<ProgramOptions> & { argument?: string } = {},
  limits: Partial<ProgramConfig> = {},
) {
  const started: Program[] = [];
  const stdio = { env: { LEVEL: 'a-value-of-the-operator' }, concurrency: 4, ...limits };
  const served = serveConnector(
    { url: 'stdio:wiki', stdio, timeout_seconds: 15 },
    {
      startProgram(_id, environment) {
        const program = startProgram({
          bubblewrap: bubblewrap ?? '',
          command: [process.execPath, script, given.argument ?? ''],
          environment: { ...stdio.env, ...environment },
          hasNetwork: false,
          readable: [process.execPath, script],
          writable: [],
          memoryBytes: 512 * MEBIBYTE,
          processesMax: 16,
          ...given,
        });
        started.push(program);
        return program;
      },
    },
  );
  const call = (tool: string, args: Record<string, unknown> = {}) =>
    callOnce(served.service, { tool, arguments: args });
  return { ...served, started, call };
}

describe.runIf(bubblewrap)('a connector that is a program', () => {
  it('is listed and called, and a kept process serves several calls of its consumer', async () => {
    const { call, service, started } = serveProgram();
    expect((await service.connect(here, 'wiki')).tools.map(({ name }) => name)).toContain('count');
    expect([await call('count'), await call('count'), await call('notes')]).toEqual(['1', '2', 'noted']);
    expect(started.length).toBe(2);
    expect(
      await callOnce(service, { tool: 'count', arguments: {}, consumer: { ...here, user_id: 'v' } }),
      'a process of its own',
    ).toBe('1');
    await service.close();
    for (const { ended } of started) expect(await ended).toContain('SIGKILL');
  });

  it('sees no variable of the server, no file that was not granted, and no network', async () => {
    process.env.A_SECRET_OF_THE_SERVER = 'must-not-be-seen';
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    const directory = mkdtempSync(join(tmpdir(), 'connectors-'));
    atEnd(() => {
      delete process.env.A_SECRET_OF_THE_SERVER;
      server.close();
      rmSync(directory, { recursive: true });
    });
    const [granted, other] = [join(directory, 'granted'), join(directory, 'other')];
    for (const path of [granted, other]) writeFileSync(path, 'content');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { call } = serveProgram({ readable: [process.execPath, script, granted] });
    const variables = await call('environment');
    expect(Object.keys(JSON.parse(variables)).sort()).toEqual(['HOME', 'LANG', 'LEVEL', 'PATH', 'PWD', 'TMPDIR']);
    expect(variables).not.toContain('must-not-be-seen');
    expect(await call('read', { path: granted })).toBe('content');
    expect(await call('read', { path: other })).toContain('failed: ENOENT');
    expect(await call('read', { path: '/etc/passwd' })).toContain('failed: ENOENT');
    expect(await call('write', { path: granted })).toContain('failed: EROFS');
    expect(await call('write', { path: '/work/a' })).toBe('undefined');
    expect(await call('connect', { port: String(port) })).toContain('refused');
  });

  it('writes where the operator lets it, and has a network where the operator grants it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'connectors-'));
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    atEnd(() => {
      server.close();
      rmSync(directory, { recursive: true });
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { call } = serveProgram({ hasNetwork: true, writable: [directory] });
    expect(await call('write', { path: join(directory, 'a') })).toBe('undefined');
    expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('written');
    expect(await call('connect', { port: String((server.address() as AddressInfo).port) })).toBe('connected');
  });

  it('is started again after it ended, also one that ends at a question it does not know', async () => {
    const { call, started, lines } = serveProgram({ argument: 'strict' });
    expect(await call('count')).toBe('1');
    expect(await failureOf(call('end'))).toMatchObject({ status: 502, message: expect.stringContaining('has ended') });
    expect(await call('count')).toBe('1');
    expect(started.length).toBeGreaterThan(3);
    expect(lines.join('')).toContain('It ended with 3');
  });

  it.each([
    ['more memory', 'grow', 'more memory'],
    ['more processes', 'multiply', 'more processes'],
  ])('that takes %s than it may have is killed, and the call says so', async (_what, tool, reason) => {
    const { call, started, lines } = serveProgram({ memoryBytes: 400 * MEBIBYTE });
    expect(await failureOf(call(tool))).toMatchObject({ status: 502 });
    expect(await started.at(-1)?.ended).toContain(reason);
    expect(lines.join('')).toContain(reason);
  });

  it('that writes without end is cut off, and one whose call is given up is killed', async () => {
    const { call, service, started } = serveProgram();
    expect(await failureOf(call('flood'))).toMatchObject({ message: expect.stringContaining('more than') });
    const connection = await service.connect(here, 'wiki', { keep: true });
    const leave = new AbortController();
    const left = failureOf(connection.call('grow', {}, leave.signal));
    await expect.poll(() => started.length, { timeout: 20_000 }).toBe(4);
    leave.abort(new Error('left'));
    expect((await left).message).toBe('left');
    await connection.close();
    expect(await started.at(-1)?.ended).toContain('SIGKILL');
  });

  it('runs as often as the operator allows, and idle ones of others make room', async () => {
    const { service } = serveProgram({}, { concurrency: 2, per_organization: 2 });
    const open = async (user_id: string) => {
      const connection = await service.connect({ ...here, user_id }, 'wiki', { keep: true });
      await connection.call('count', {}, never);
      return connection;
    };
    const first = await open('a');
    const second = await open('b');
    expect(await failureOf(open('c'))).toMatchObject({ status: 503, code: 'connector_busy' });
    await first.close();
    await (await open('c')).close();
    await second.close();
  });

  it('gets the token of its consumer in the variable that the operator named, and else takes none', async () => {
    const { service } = serveProgram({}, { token_variable: 'WIKI_TOKEN' });
    const shown = JSON.parse(
      await callOnce(service, { tool: 'environment', arguments: {}, token: 'my-own-long-token' }),
    );
    expect(shown.WIKI_TOKEN, 'what a server repeats of a secret is hidden').toBe('[redacted]');
    const without = serveProgram().service;
    expect(await failureOf(callOnce(without, { token: 'my-own-long-token' }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('takes no credentials'),
    });
  });

  it('that cannot be started fails the call, and the log has the cause', async () => {
    const { call, lines } = serveProgram({ command: ['/usr/bin/there-is-no-such-program'] });
    expect(await failureOf(call('count'))).toMatchObject({
      status: 502,
      message: "The connector 'wiki' is a program that could not be started, or has ended.",
    });
    expect(lines.join('')).toContain('there-is-no-such-program');
  });
});
