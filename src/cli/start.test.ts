import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../test/support/databases.ts';
import { startUpstream } from '../../test/support/upstream.ts';
import { CHECKOUT, startCli } from './run-for-tests.ts';

/** What the line prints when it is pasted into a shell in the checkout. */
async function sh(line: string, environment: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    cwd: CHECKOUT,
    env: { ...process.env, ...environment },
  });
  return stdout;
}
const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const lineOf = (card: string, program: string) => card.split('\n').find((line) => line.startsWith(`  ${program} `))!;
const dataDir = () => join(temporaryDir(), 'data');

function configWith(url: string, more = ''): string {
  const file = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(file, `models:\n  - id: it's small\n    engine: upstream\n    url: ${url}\n${more}`);
  return file;
}

describe('the first start', () => {
  it('shows address, docs, data and the key, once; the second shows no key', async () => {
    const dir = dataDir();
    const first = await startCli(['--data-dir', dir]);
    const { stdout, code } = await first.stop();
    expect(code).toBe(0);
    expect(stdout).toContain(`Address   ${first.url}\n`);
    expect(stdout).toContain(`API docs  ${first.url}/docs\n`);
    expect(stdout).toMatch(new RegExp(`Console   ${first.url}/console/link/[\\w-]{43}\\n.*owner@localhost`));
    expect(stdout).toContain(`Data      ${dir}\n`);
    expect(stdout.match(/API key {3}tmk_\w{46}\n/g)).toHaveLength(1);
    expect(stdout).toContain('Shown this once');
    expect(stdout).toContain(`npx tramontane keys create --data-dir ${dir}\n`);
    expect(stdout).toContain(`npx tramontane keys create --admin --data-dir ${dir}\n`);

    const second = await startCli(['--data-dir', dir]);
    const again = await second.stop();
    expect(again.stdout).toContain(`Address   ${second.url}\n`);
    expect(again.stdout).toContain(`Data      ${dir}\n`);
    expect(again.stdout).toContain(`Console   ${second.url}/console\n`);
    expect(again.stdout).not.toMatch(/tmk_|API key|link/);
  });

  it('prints a curl line and an SDK line that work when pasted', async () => {
    const { card, stop } = await startCli(['--data-dir', dataDir()]);
    if (hasCurl) expect(JSON.parse(await sh(lineOf(card, 'curl')))).toMatchObject({ email: 'owner@localhost' });
    expect(await sh(lineOf(card, 'node'))).toContain("object: 'list'");
    await stop();
  });

  it('prints lines that chat where a chat model is configured', async () => {
    const upstream = await startUpstream();
    const { card, stop } = await startCli(['--data-dir', dataDir(), '--config', configWith(upstream.url)]);
    if (hasCurl) expect(await sh(lineOf(card, 'curl'))).toContain('You said: Hello!');
    expect(await sh(lineOf(card, 'node'))).toContain('You said: Hello!');
    await stop();
  });

  it('says that the default model is tiny, and how to have a better one', async () => {
    const file = join(temporaryDir(), 'tramontane.yaml');
    writeFileSync(file, 'models: [{ id: tiny, engine: llama, weights: smollm2-135m-instruct }]\n');
    const { card, stop } = await startCli(['--data-dir', dataDir(), '--config', file]);
    expect(card).toContain('The default model is tiny');
    expect(card).toMatch(/npx tramontane models catalog .*\n +npx tramontane pull <id> /);
    await stop();
  });

  it('does not print a key that the environment gave, and its lines take it from there', async () => {
    const given = { TRAMONTANE_BOOTSTRAP_API_KEY: 'a-key-from-the-environment-of-the-start' };
    const { card, stop } = await startCli(['--data-dir', dataDir()], given);
    if (hasCurl) expect(await sh(lineOf(card, 'curl'), given)).toContain('owner@localhost');
    expect(await sh(lineOf(card, 'node'), given)).toContain("object: 'list'");
    const { stdout, stderr } = await stop();
    expect(stdout).toContain('API key   the one in TRAMONTANE_BOOTSTRAP_API_KEY\n');
    expect(stdout + stderr).not.toContain(given.TRAMONTANE_BOOTSTRAP_API_KEY);
  });
});

describe('start --json', () => {
  it('prints one line when it is ready: with the key on the first start, without it on the second', async () => {
    const dir = dataDir();
    const first = await startCli(['--data-dir', dir, '--json']);
    const { stdout } = await first.stop();
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toEqual({
      url: first.url,
      console_url: `${first.url}/console`,
      console_link: expect.stringMatching(`^${first.url}/console/link/`),
      data_dir: dir,
      first_start: true,
      api_key: expect.stringMatching(/^tmk_/),
      version: expect.any(String),
      node: process.version,
    });
    const second = await startCli(['--data-dir', dir, '--json']);
    const again = JSON.parse((await second.stop()).stdout);
    expect(again).toMatchObject({ url: second.url, first_start: false });
    expect(again).not.toHaveProperty('api_key');
    expect(again).not.toHaveProperty('console_link');
  });

  it('says where a given key came from, and not what it is', async () => {
    const given = { TRAMONTANE_BOOTSTRAP_API_KEY: 'a-key-from-the-environment-of-the-start' };
    const { card, stop } = await startCli(['--data-dir', dataDir(), '--json'], given);
    expect(JSON.parse(card)).toMatchObject({ api_key_from: 'TRAMONTANE_BOOTSTRAP_API_KEY' });
    expect(card).not.toContain(given.TRAMONTANE_BOOTSTRAP_API_KEY);
    await stop();
  });
});

describe('where it listens', () => {
  it('is said with what it exposes, unless only this machine can connect', async () => {
    const open = await startCli(['--data-dir', dataDir(), '--host', '0.0.0.0']);
    expect((await fetch(`${open.url}/healthz`)).status).toBe(200);
    const { port } = new URL(open.url);
    const { stderr } = await open.stop();
    expect(stderr).toContain(`listening on 0.0.0.0:${port}: everyone who can reach this machine can talk to the API`);
    expect(stderr).toContain('keys are still required; put TLS in front');
    const closed = await startCli(['--data-dir', dataDir()]);
    expect((await closed.stop()).stderr).not.toContain('listening');
  });

  it('is what the flags say, whatever the environment says', async () => {
    const dir = dataDir();
    const wrong = { TRAMONTANE_HOST: '203.0.113.1', TRAMONTANE_PORT: '1', TRAMONTANE_DATA_DIR: '/nowhere' };
    const { url, stop } = await startCli(['--data-dir', dir, '--host', '127.0.0.1', '--port', '0'], wrong);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,}$/);
    await stop();
  });
});

it('a mistyped setting is warned of, and the server starts', async () => {
  const { stop } = await startCli(['--data-dir', dataDir()], { TRAMONTANE_HOTS: 'x' });
  const { stderr } = await stop();
  expect(stderr).toContain('warning: TRAMONTANE_HOTS is not a setting of tramontane. Did you mean TRAMONTANE_HOST?');
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s with nothing to do stops the server with code 0',
    async (signal) => {
      const server = await startCli(['--data-dir', dataDir()]);
      server.send(signal);
      expect((await server.end).code).toBe(0);
    },
  );

  /** A server with a request that will never be answered. */
  async function startBusy(drainSeconds: number) {
    const upstream = await startUpstream();
    const asked = new Promise<void>((resolve) => upstream.answerWith(() => resolve()));
    const config = configWith(upstream.url, `server:\n  drain_seconds: ${drainSeconds}\n`);
    const server = await startCli(['--data-dir', dataDir(), '--config', config, '--json']);
    const { url, api_key } = JSON.parse(server.card);
    const request = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: "it's small", messages: [{ role: 'user', content: 'hello' }] }),
    }).catch(() => undefined);
    await asked;
    return { ...server, request };
  }

  it('lets a running request finish, and a second signal ends it at once with code 1', async () => {
    const server = await startBusy(600);
    server.send('SIGTERM');
    await server.stderrHas('stopping: running requests have 600 s');
    server.send('SIGINT');
    expect((await server.end).code).toBe(1);
    await server.request;
  });

  it('that npm or the launcher passes on once more does not count as a second one', async () => {
    const server = await startBusy(1);
    server.send('SIGINT');
    await server.stderrHas('stopping');
    server.send('SIGINT');
    expect((await server.end).code).toBe(0);
    await server.request;
  });
});
