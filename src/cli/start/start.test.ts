import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { startUpstream } from '../../../test/support/upstream.ts';
import { CHECKOUT, type Ended, type StartedCli, startCli } from '../run-for-tests.ts';

const GIVEN_KEY = 'a-key-from-the-environment-of-the-start';

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
/** What the two lines of the card print. */
async function paste(card: string, environment: Record<string, string> = {}): Promise<{ curl: string; node: string }> {
  const curl = hasCurl ? await sh(lineOf(card, 'curl'), environment) : '';
  return { curl, node: await sh(lineOf(card, 'node'), environment) };
}
const dataDir = () => join(temporaryDir(), 'data');

function configWith(url: string, more = ''): string {
  const file = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(file, `models:\n  - id: it's small\n    engine: upstream\n    url: ${url}\n${more}`);
  return file;
}

/** What it said, all told, once it has ended with nothing to do. */
async function stopBy(signal: NodeJS.Signals, { send, end }: StartedCli): Promise<Ended> {
  send(signal);
  return end;
}

// A start costs more than all that is looked at, so each is looked at from several sides.
describe('the first start', () => {
  const dir = dataDir();
  let first: StartedCli;
  let pasted: { curl: string; node: string };
  let said: Ended;
  beforeAll(async () => {
    first = await startCli(['--data-dir', dir]);
    pasted = await paste(first.card);
    said = await stopBy('SIGTERM', first);
  });

  it('shows address, docs, data and the key, once', () => {
    const { stdout } = said;
    expect(stdout).toContain(`Address   ${first.url}\n`);
    expect(stdout).toContain(`API docs  ${first.url}/docs\n`);
    expect(stdout).toMatch(new RegExp(`Console   ${first.url}/console/link/[\\w-]{43}\\n.*owner@localhost`));
    expect(stdout).toContain(`Data      ${dir}\n`);
    expect(stdout.match(/API key {3}tmk_\w{46}\n/g)).toHaveLength(1);
    expect(stdout).toContain('Save it now');
    expect(stdout).toContain(`npx tramontane keys create --data-dir ${dir}\n`);
    expect(stdout).toContain(`npx tramontane keys create --admin --data-dir ${dir}\n`);
  });

  it('prints a curl line and an SDK line that work when pasted', () => {
    if (hasCurl) expect(JSON.parse(pasted.curl)).toMatchObject({ email: 'owner@localhost' });
    expect(pasted.node).toContain("object: 'list'");
  });

  it('says nothing of where it listens when only this machine can connect', () => {
    expect(said.stderr).not.toContain('listening');
  });

  it('ends with code 0 on SIGTERM when there is nothing to do', () => {
    expect(said.code).toBe(0);
  });

  it('is followed by a second that shows no key, and ends with code 0 on SIGINT', async () => {
    const second = await startCli(['--data-dir', dir]);
    const again = await stopBy('SIGINT', second);
    expect(again.stdout).toContain(`Address   ${second.url}\n`);
    expect(again.stdout).toContain(`Data      ${dir}\n`);
    expect(again.stdout).toContain(`Console   ${second.url}/console\n`);
    expect(again.stdout).not.toMatch(/tmk_|API key|link/);
    expect(again.code).toBe(0);
  });
});

describe('a first start', () => {
  inFull.it('prints lines that chat where a chat model is configured', async () => {
    const upstream = await startUpstream();
    const { card, stop } = await startCli(['--data-dir', dataDir(), '--config', configWith(upstream.url)]);
    const { curl, node } = await paste(card);
    if (hasCurl) expect(curl).toContain('You said: Hello!');
    expect(node).toContain('You said: Hello!');
    await stop();
  });

  inFull.it(
    'says that the default model is tiny, how to have a better one, and ends with code 0 on SIGHUP',
    async () => {
      const file = join(temporaryDir(), 'tramontane.yaml');
      writeFileSync(file, 'models: [{ id: tiny, engine: llama, weights: smollm2-135m-instruct }]\n');
      const server = await startCli(['--data-dir', dataDir(), '--config', file]);
      expect(server.card).toContain('The default model is tiny');
      expect(server.card).toMatch(/npx tramontane models catalog .*\n +npx tramontane pull <id> /);
      expect((await stopBy('SIGHUP', server)).code).toBe(0);
    },
  );

  inFull.it(
    'does not print a key that the environment gave, takes it from there, and warns of a mistyped setting',
    async () => {
      const given = { TRAMONTANE_BOOTSTRAP_API_KEY: GIVEN_KEY };
      const { card, stop } = await startCli(['--data-dir', dataDir()], { ...given, TRAMONTANE_HOTS: 'x' });
      const { curl, node } = await paste(card, given);
      if (hasCurl) expect(curl).toContain('owner@localhost');
      expect(node).toContain("object: 'list'");
      const { stdout, stderr } = await stop();
      expect(stdout).toContain('API key   the value of TRAMONTANE_BOOTSTRAP_API_KEY\n');
      expect(stdout + stderr).not.toContain(GIVEN_KEY);
      expect(stderr).toContain(
        'warning: TRAMONTANE_HOTS is not a setting of tramontane. Did you mean TRAMONTANE_HOST?',
      );
    },
  );
});

describe('start --json', () => {
  inFull.it(
    'prints one line when it is ready, with the key on the first start only, and a warning where it is open to all',
    async () => {
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

      const second = await startCli(['--data-dir', dir, '--json', '--host', '0.0.0.0']);
      expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
      const ended = await second.stop();
      const again = JSON.parse(ended.stdout);
      expect(again).toMatchObject({ url: second.url, first_start: false });
      expect(again).not.toHaveProperty('api_key');
      expect(again).not.toHaveProperty('console_link');
      const { port } = new URL(second.url);
      expect(ended.stderr).toContain(
        `listening on 0.0.0.0:${port}: every machine that can reach this one can call the API`,
      );
      expect(ended.stderr).toContain('requests still need a key; use TLS in front');
    },
  );

  inFull.it(
    'says where a given key came from and not what it is, and listens where the flags say, whatever the environment says',
    async () => {
      const dir = dataDir();
      const { url, card, stop } = await startCli(['--data-dir', dir, '--json', '--host', '127.0.0.1', '--port', '0'], {
        TRAMONTANE_BOOTSTRAP_API_KEY: GIVEN_KEY,
        TRAMONTANE_HOST: '203.0.113.1',
        TRAMONTANE_PORT: '1',
        TRAMONTANE_DATA_DIR: '/nowhere',
      });
      expect(JSON.parse(card)).toMatchObject({ api_key_from: 'TRAMONTANE_BOOTSTRAP_API_KEY', data_dir: dir });
      expect(card).not.toContain(GIVEN_KEY);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,}$/);
      await stop();
    },
  );
});

describe('a signal', () => {
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

  inFull.it('that npm or the launcher passes on once more does not count as a second one', async () => {
    const server = await startBusy(1);
    server.send('SIGINT');
    await server.stderrHas('stopping');
    server.send('SIGINT');
    expect((await server.end).code).toBe(0);
    await server.request;
  });
});
