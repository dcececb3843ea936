import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, utimesSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../support/cleanup.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';

const root = join(import.meta.dirname, '../..');
/** Two cold starts of the server and Vite on a busy machine. */
const PATIENCE_MS = 120_000;
const POLL = { timeout: 60_000, interval: 50 };

/** `npm run dev` in its own process group, so that leftover processes can be found. */
function startDev(ports: { server: number; console: number }): ChildProcess & { printed(): string } {
  const args = ['quality/dev/run.ts', '--port', String(ports.server), '--console-port', String(ports.console)];
  const environment = { TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data'), TRAMONTANE_AUTO_PULL: 'off' };
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    env: { ...process.env, NODE_ENV: 'development', ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  atEnd(() => isGroupAlive(child) && process.kill(-(child.pid ?? 0), 'SIGKILL'));
  return Object.assign(child, { printed: () => printed });
}

function isGroupAlive({ pid = 0 }: ChildProcess): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

async function listen(): Promise<{ probe: Server; port: number }> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  return { probe, port: (probe.address() as AddressInfo).port };
}

async function freePort(): Promise<number> {
  const { probe, port } = await listen();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Looks changed to a watcher, but unchanged to git. */
function touch(path: string): void {
  const { atime, mtime } = statSync(join(root, path));
  utimesSync(join(root, path), new Date(), new Date());
  atEnd(() => utimesSync(join(root, path), atime, mtime));
}

describe('npm run dev', { timeout: PATIENCE_MS }, () => {
  inFull.it('serves both, restarts the server after a change, and leaves nothing behind', async () => {
    const ports = { server: await freePort(), console: await freePort() };
    const dev = startDev(ports);
    const ended = once(dev, 'exit');
    const starts = () => dev.printed().split(`dev: server   http://127.0.0.1:${ports.server} `).length - 1;
    await expect.poll(starts, POLL).toBe(1);
    expect(dev.printed()).toContain(`dev: console  http://127.0.0.1:${ports.console}/console/`);
    const vite = `http://127.0.0.1:${ports.console}`;
    expect((await fetch(`http://127.0.0.1:${ports.server}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${vite}/console/`)).text()).toContain('/console/@vite/client');
    expect(await (await fetch(`${vite}/console/src/ui/confirm.tsx`)).text()).toContain('import.meta.hot');
    // The server responds through Vite, also to writes from a page of Vite.
    expect((await fetch(`${vite}/v1/models`)).status).toBe(401);
    const wrong = { email: 'owner@localhost', password: 'not the password' };
    const signIn = await fetch(`${vite}/console/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: vite },
      body: JSON.stringify(wrong),
    });
    expect(await signIn.text()).toContain('the password is wrong');

    touch('src/kit/base/log.test.ts');
    touch('src/kit/base/clock.ts');
    await expect.poll(starts, POLL).toBe(2);
    expect(dev.printed().match(/dev: .* changed/g)).toEqual(['dev: src/kit/base/clock.ts changed']);

    dev.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(isGroupAlive(dev)).toBe(false);
  });

  it.each(['server', 'console'] as const)('says what to do when the port of the %s is taken', async (which) => {
    const { probe, port } = await listen();
    const dev = startDev({ server: await freePort(), console: await freePort(), [which]: port });
    const [code] = await once(dev, 'close');
    probe.close();
    const flag = which === 'server' ? '--port' : '--console-port';
    expect(code).toBe(1);
    expect(dev.printed()).toContain(
      `Port ${port} is taken. End what uses it, or choose another: npm run dev -- ${flag} `,
    );
  });
});
