import fc from 'fast-check';
import { afterAll, beforeEach, vi } from 'vitest';
import { cleanUp } from './cleanup.ts';
import { treeCpuMs } from './process-tree.ts';
import { isFull } from './rounds.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The processor time of a test or of a whole file, with that of the processes it started. */
    cpuMs?: number;
  }
}

// Files share a process and its modules. This file runs again for every test file, its imports do not: a hook
// registered by a shared module would apply to the first file only.
const home = process.cwd();

// The same inputs in every ordinary run, so that a change is judged by what it did; the full run looks for new ones.
if (!isFull) fc.configureGlobal({ seed: 4848 });

if (process.env.TRAMONTANE_TEST_TIMES) countCpu();

afterAll(async () => {
  vi.useRealTimers();
  await cleanUp();
  process.chdir(home);
});

/** These hooks are the outermost: first before all others of the file, and last after them. */
function countCpu(): void {
  const fileBefore = treeCpuMs();
  beforeEach(({ task }) => {
    const before = treeCpuMs();
    return () => {
      task.meta.cpuMs = treeCpuMs() - before;
    };
  });
  // biome-ignore lint/correctness/noEmptyPattern: Vitest takes the first parameter of a hook for fixtures only.
  afterAll(({}, suite) => {
    suite.file.meta.cpuMs = treeCpuMs() - fileBefore;
  });
}
