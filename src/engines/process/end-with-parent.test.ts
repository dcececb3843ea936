import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { firstLine } from '../../../test/support/first-line.ts';
import { inFull } from '../../../test/support/in-full.ts';

inFull.given(process.platform === 'linux').it('a child in an endless loop ends when the server is killed', async () => {
  const script = `
    import { createWasmSandbox } from ${JSON.stringify(new URL('../sandbox/index.ts', import.meta.url).href)};
    import { createLog } from ${JSON.stringify(new URL('../../kit/base/log.ts', import.meta.url).href)};
    import { readFileSync } from 'node:fs';
    const limits = { timeMs: 600_000, memoryBytes: 2 ** 27, outputBytes: 1000, filesMax: 1, fileBytes: 1000 };
    const sandbox = createWasmSandbox({ limits, concurrency: 1, log: createLog('silent') });
    const never = new AbortController().signal;
    await sandbox.run({ code: '1' }, never);
    void sandbox.run({ code: 'while True: pass' }, never);
    const children = readFileSync('/proc/' + process.pid + '/task/' + process.pid + '/children', 'utf8');
    setTimeout(() => console.log(children.trim()), 500);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const children = (await firstLine(parent)).split(' ').map(Number);
  // The sandbox, and the guard that outlives the server for a moment.
  expect(children).toHaveLength(2);
  parent.kill('SIGKILL');
  const isRunning = (pid: number) => {
    try {
      return !/ [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  };
  await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), { timeout: 20_000, interval: 100 });
});
