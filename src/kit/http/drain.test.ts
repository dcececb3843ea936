import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { noteRoutes } from '../../../test/fixtures/notes.ts';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { firstLine } from '../../../test/support/first-line.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { scriptFile } from '../../../test/support/programs.ts';
import { startTestServer } from '../../../test/support/server.ts';

const startNotes = (drain_seconds: number) =>
  startTestServer(sqliteForTests(), { extraRoutes: noteRoutes, file: { server: { drain_seconds } } });

describe('a server that is told to stop', () => {
  it('says so at /readyz at once, refuses new work, and lets what runs finish', async () => {
    const server = await startNotes(30);
    const running = call(server, '/v1/notes-slow?ms=400');
    await waitForRequest(server);
    const stopped = server.stop();
    expect(await call(server, '/readyz', { key: '' })).toMatchObject({
      status: 503,
      body: { object: 'error', type: 'server_error' },
    });
    expect((await call(server, '/healthz', { key: '' })).status).toBe(200);
    const refused = await call(server, '/v1/users/me');
    expect(refused).toMatchObject({ status: 503, body: { type: 'server_error' } });
    expect([refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual(['1', 'close']);
    expect(await running).toMatchObject({ status: 200, body: { waited: 400 } });
    await stopped;
    await expect(call(server, '/healthz', { key: '' })).rejects.toThrow();
  });

  it('waits no longer than its limit', async () => {
    const server = await startNotes(0.1);
    const running = call(server, '/v1/notes-slow?ms=60000').catch((error: unknown) => error);
    await waitForRequest(server);
    await server.stop();
    expect(await running).toBeInstanceOf(Error);
  });

  it('ends a stream that can be resumed without waiting for it', async () => {
    const server = await startNotes(60);
    const stream = await fetch(`${server.url}/v1/notes/events`, { headers: { authorization: `Bearer ${server.key}` } });
    const text = stream.text();
    await server.stop();
    expect(await text).toBe('');
  });

  inFull.it('ends with code 0 on SIGTERM after the running request was answered', async () => {
    const key = 'the-key-of-the-drain-test-0123456789';
    const script = fileURLToPath(new URL('../../../test/crash/fixtures/notes-server.ts', import.meta.url));
    const child = spawn(process.execPath, [scriptFile(script)], {
      env: {
        ...process.env,
        TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data'),
        TRAMONTANE_PORT: '0',
        TRAMONTANE_BOOTSTRAP_API_KEY: key,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await firstLine(child);
    const running = call({ url, key }, '/v1/notes-slow?ms=300');
    await waitForRequest({ url, key });
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await running).status).toBe(200);
    expect(await ended).toEqual([0, null]);
  });
});

/** Once a later request was answered, the earlier one of the same client is certainly running. */
async function waitForRequest(server: { url: string; key: string }): Promise<void> {
  await call(server, '/v1/users/me');
}
