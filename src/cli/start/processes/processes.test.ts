import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { postgresForTests, temporaryDir } from '../../../../test/support/databases.ts';
import { inFull } from '../../../../test/support/in-full.ts';
import { run, startCli } from '../../run-for-tests.ts';

const serverUrl = inject('postgresUrl');
const KEY = 'a-first-key-of-the-test-0123456789abcdef';
const models = (...ids: string[]) =>
  JSON.stringify({ models: ids.map((id) => ({ id, engine: 'upstream', url: 'http://127.0.0.1:9/v1' })) });

function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([id, parent]) => (parent === pid ? [id!] : []));
}

function ask(url: string, path: string, agent?: Agent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { agent: agent ?? false, headers: { authorization: `Bearer ${KEY}` } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text })).on('error', reject);
      },
    );
    sent.on('error', reject).end();
  });
}

const idsOf = (text: string) => (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id);
const countOf = (metrics: string) =>
  Number(/http_request_duration_seconds_count\{[^}]*route="\/v1\/models"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);

describe.runIf(serverUrl && process.platform !== 'win32')('start --processes', () => {
  async function start() {
    const database = postgresForTests(serverUrl ?? '');
    await (await database.open()).close();
    const dir = temporaryDir();
    const config = join(dir, 'tramontane.yaml');
    writeFileSync(config, models('one'));
    const environment = {
      TRAMONTANE_DATABASE_URL: database.options.kind === 'postgres' ? database.options.url : '',
      TRAMONTANE_DATA_DIR: join(dir, 'data'),
      TRAMONTANE_CONFIG: config,
      TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
    };
    const server = await startCli(['--processes', '2', '--json'], environment);
    expect(JSON.parse(server.card)).toMatchObject({ processes: 2 });
    const serving = childrenOf(server.pid);
    expect(serving).toHaveLength(2);
    return { server, serving, config };
  }

  it('shares the port, adds up metrics, and ends with all of its processes', async () => {
    const { server } = await start();
    // A connection each, so that both processes serve; whichever is scraped knows all of them.
    for (let i = 0; i < 10; i++) expect(idsOf((await ask(server.url, '/v1/models')).text)).toContain('one');
    for (let i = 0; i < 2; i++) expect(countOf((await ask(server.url, '/metrics')).text)).toBe(10);
    const ended = await server.stop();
    expect(ended.code).toBe(0);
    expect(childrenOf(server.pid)).toEqual([]);
  });

  inFull.it('replaces a killed process and reloads without a failed request', async () => {
    const { server, serving, config } = await start();
    process.kill(serving[0]!, 'SIGKILL');
    await server.stderrHas('starting another');
    await expect.poll(() => childrenOf(server.pid).length).toBe(2);
    await expect.poll(async () => (await ask(server.url, '/readyz')).status).toBe(200);

    // Six clients ask again and again on connections that they keep, and leave the processor to what starts meanwhile.
    const agent = new Agent({ keepAlive: true, maxSockets: 6 });
    let isLoading = true;
    const failures: string[] = [];
    let answers = 0;
    const load = Array.from({ length: 6 }, async () => {
      while (isLoading) {
        const { status } = await ask(server.url, '/v1/models', agent).catch((error: Error) => ({
          status: error.message,
        }));
        if (status === 200) answers++;
        else failures.push(String(status));
        await delay(25);
      }
    });
    const before = childrenOf(server.pid);
    writeFileSync(config, models('one', 'two'));
    server.send('SIGHUP');
    await server.stderrHas('reloaded: all');
    isLoading = false;
    await Promise.all(load);
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(50);
    expect(childrenOf(server.pid).filter((pid) => before.includes(pid))).toEqual([]);
    for (let i = 0; i < 4; i++) expect(idsOf((await ask(server.url, '/v1/models')).text)).toContain('two');

    writeFileSync(config, '{"models": 7}');
    server.send('SIGHUP');
    await server.stderrHas('not reloaded');
    expect((await ask(server.url, '/v1/models')).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });
});

inFull.it('says on SQLite why one process serves, and refuses what is no number', async () => {
  const wrong = await run(['start', '--processes', 'many'], { TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data') });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a number from 1 to 999, or auto') });
  const server = await startCli(['--processes', 'auto', '--json'], {
    TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data'),
  });
  await server.stderrHas('one process serves: a SQLite file belongs to one process');
  expect(JSON.parse(server.card)).not.toHaveProperty('processes');
  expect((await server.stop()).code).toBe(0);
});
