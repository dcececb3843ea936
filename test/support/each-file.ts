import { afterAll, vi } from 'vitest';
import { cleanUp } from './cleanup.ts';

// Files share a process and its modules, so this is run anew for every file while what it imports is not: a hook that a
// shared module registers itself would be the first file's alone.
const home = process.cwd();

afterAll(async () => {
  vi.useRealTimers();
  await cleanUp();
  process.chdir(home);
});
