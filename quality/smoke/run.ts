import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// What CI does on every system: `npm start` as in the README, one request of each kind that needs no weights, and
// doctor.
const START_MS = 180_000;
const isWindows = process.platform === 'win32';
const dataDir = mkdtempSync(join(tmpdir(), 'tramontane-smoke-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const key = randomBytes(24).toString('hex');
const env = {
  ...process.env,
  TRAMONTANE_PORT: String(port),
  TRAMONTANE_DATA_DIR: join(dataDir, 'data'),
  TRAMONTANE_BOOTSTRAP_API_KEY: key,
  TRAMONTANE_AUTO_PULL: 'off',
};

const server = run('npm start');
try {
  await untilHealthy();
  report('npm start', `${url}/healthz answers`);
  const { data } = (await request('GET', '/v1/models')) as { data: { id: string; alias_of?: string }[] };
  const models = data.filter(({ alias_of }) => alias_of === undefined);
  report('GET /v1/models', models.map(({ id }) => id).join(', '));
  const prompt = { name: 'smoke', definition: { content: 'Hello {{name}}' } };
  const { version } = (await request('POST', '/v2/prompts', prompt)) as { version: number };
  report('POST /v2/prompts', `version ${version}`);
  const [code] = await once(run('npx tramontane doctor'), 'exit');
  if (code !== 0) throw new Error(`npx tramontane doctor ended with ${code}.`);
  report('npx tramontane doctor', 'no check failed');
} finally {
  await stop(server);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
report('stopped', 'no process is left');

/** In a shell, because npm is a script on Windows; in a group of its own, because npm does not pass on every signal. */
function run(command: string): ChildProcess {
  return spawn(command, { shell: true, env, stdio: 'inherit', detached: !isWindows });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f']);
  else process.kill(-child.pid, 'SIGTERM');
  await ended;
  while (!isWindows && isAlive(-child.pid)) await sleep(100);
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}

async function untilHealthy(): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(200);
  }
  throw new Error(`npm start did not answer at ${url}/healthz within ${START_MS / 1000} s.`);
}

async function request(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

function report(what: string, outcome: string): void {
  console.log(`smoke: ${what}: ${outcome}`);
}
