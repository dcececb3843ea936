import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runProgram } from './run-program.ts';

const dir = mkdtempSync(join(tmpdir(), 'tramontane-program-'));
afterAll(() => rmSync(dir, { recursive: true }));
const environment = { PATH: '/usr/bin:/bin' };

describe('a program', () => {
  it('that is not there is told apart from one that fails', async () => {
    const signal = new AbortController().signal;
    expect(await runProgram(['no-such-program'], { cwd: dir, environment, signal })).toEqual({ kind: 'missing' });
    const failed = await runProgram(['sh', '-c', 'echo a; echo b >&2; exit 3'], { cwd: dir, environment, signal });
    expect(failed).toMatchObject({ kind: 'ended', code: 3, output: expect.stringContaining('b') });
  });

  it('ends with the program that it wraps when it is cancelled', async () => {
    const wrapper = join(dir, 'pip');
    const pidFile = join(dir, 'pid');
    writeFileSync(wrapper, `#!/bin/sh\nsleep 600 &\necho $! > ${pidFile}\nwait\n`);
    chmodSync(wrapper, 0o755);
    const controller = new AbortController();
    const running = runProgram([wrapper], { cwd: dir, environment, signal: controller.signal });
    const cancelled = expect(running).rejects.toThrow('enough');
    await vi.waitFor(() => expect(readFileSync(pidFile, 'utf8')).toMatch(/\d\n/), { timeout: 10_000 });
    controller.abort(new Error('enough'));
    await cancelled;
    const state = readState(Number(readFileSync(pidFile, 'utf8')));
    expect(['Z', undefined]).toContain(state);
  });
});

/** `Z` is dead and only waits to be buried by whoever adopted it. */
function readState(pid: number): string | undefined {
  try {
    return / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
