import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { cleanUp } from './cleanup.ts';
import { isFull } from './rounds.ts';

// Files share a process and its modules. This file runs again for every test file, its imports do not: a hook
// registered by a shared module would apply to the first file only.
const home = process.cwd();

// The same inputs in every ordinary run, so that a change is judged by what it did; the full run looks for new ones.
if (!isFull) fc.configureGlobal({ seed: 4848 });

afterAll(async () => {
  vi.useRealTimers();
  await cleanUp();
  process.chdir(home);
});
