import { afterAll, vi } from 'vitest';
import { cleanUp } from './cleanup.ts';

// Files share a process and its modules. This file runs again for every test file, its imports do not: a hook
// registered by a shared module would apply to the first file only.
const home = process.cwd();

afterAll(async () => {
  vi.useRealTimers();
  await cleanUp();
  process.chdir(home);
});
