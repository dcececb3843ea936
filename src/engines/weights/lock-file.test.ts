import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findHolder, lockFile } from './lock-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'tramontane-lock-'));
afterAll(() => rmSync(dir, { recursive: true }));
const signal = new AbortController().signal;
let count = 0;
const fresh = () => join(dir, `${count++}.lock`);
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;
const leave = (path: string, holder: object) =>
  writeFileSync(path, JSON.stringify({ host: hostname(), token: 't', ...holder }));

describe('the lock', () => {
  it('lets one at a time through, also within a process', async () => {
    const path = fresh();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const release = await lockFile(path, { signal });
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        await release();
      }),
    );
    expect(most).toBe(1);
  });

  it('says whom it waits for, and is there as soon as the other is done', async () => {
    const path = fresh();
    const release = await lockFile(path, { signal });
    const told = Promise.withResolvers<number>();
    const second = lockFile(path, { signal, onWait: told.resolve });
    expect(await told.promise).toBe(process.pid);
    expect(await findHolder(path)).toBe(process.pid);
    await release();
    await (await second)();
    expect(await findHolder(path)).toBeUndefined();
  });

  it('can be given up waiting for', async () => {
    const path = fresh();
    const release = await lockFile(path, { signal });
    const controller = new AbortController();
    const second = lockFile(path, { signal: controller.signal, onWait: () => controller.abort() });
    await expect(second).rejects.toThrow();
    await release();
  });

  it('of a dead process is taken over, by one of many', async () => {
    const path = fresh();
    leave(path, { pid: deadPid() });
    let inside = 0;
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const release = await lockFile(path, { signal });
        expect(++inside).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        await release();
      }),
    );
  });

  it('with our own number from an earlier life is taken over', async () => {
    const path = fresh();
    leave(path, { pid: process.pid });
    await (await lockFile(path, { signal }))();
  });

  it('of a living process is respected, of a silent one not', async () => {
    const path = fresh();
    leave(path, { pid: process.ppid });
    expect(await findHolder(path)).toBe(process.ppid);
    utimesSync(path, new Date(0), new Date(0));
    expect(await findHolder(path)).toBeUndefined();
    const release = await lockFile(path, { signal });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    await release();
  });

  it('of another machine is judged by its heartbeat alone', async () => {
    const path = fresh();
    leave(path, { pid: deadPid(), host: 'elsewhere' });
    expect(await findHolder(path)).toBeDefined();
  });
});
