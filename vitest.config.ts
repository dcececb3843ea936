import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

// Inherited by the processes of the run and by those that tests start: what one of them has compiled, the others load.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'tramontane-test-compile-cache');

const all = [
  'src/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'test/**/*.test.ts',
  'console/**/*.test.ts',
  'quality/**/*.test.ts',
];

/** Files that measure their own process, count its timers, load native code into it or need its modules fresh: each has its own process. */
const alone = [
  'src/kit/events/{sse,tail-end}.test.ts',
  'src/kit/db/transaction-context.test.ts',
  'src/kit/db/sqlite/wal-sync.test.ts',
  'src/workflows/guide.test.ts',
  'src/speech/speech.test.ts',
  'src/engines/llama/{engine,lifecycle,logprobs,vulkan}.test.ts',
  'src/engines/{embed/engine,sandbox/escapes,sandbox/sandbox}.test.ts',
  'src/engines/speech/{espeak,kokoro}/engine.test.ts',
  'test/pages/*.test.ts',
];

/** The longest files, which spend their time in processes that they start: servers, models, browsers. */
const long = [
  'console/test/**/*.test.ts',
  'quality/campaigns/parts.test.ts',
  'src/cli/{start/start,models/models-add,worker/worker}.test.ts',
  'src/engines/llama/leave-devices.test.ts',
  'src/workflows/{deadly-runs,mistakes}.test.ts',
  'src/mcp/conformance.test.ts',
  'test/{cluster,crash,dev,embedded,examples,package}/*.test.ts',
];

/** Files that share a process leave much garbage at once: a larger nursery copies less of it around. */
const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

export default defineConfig({
  test: {
    // They run in the order of their names, and leave the short files for the end.
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // Importing the server anew for each file took a quarter of the run, so these share a process and its modules.
      { extends: true, test: { name: 'long', include: long, isolate: false, execArgv } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: all,
          exclude: [...configDefaults.exclude, ...alone, ...long],
          isolate: false,
          execArgv,
        },
      },
    ],
    globalSetup: ['test/support/postgres.ts', 'test/support/templates.ts', 'console/test/support/build-console.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: [
      'default',
      './test/support/report-missing.ts',
      ...(process.env.TRAMONTANE_TEST_TIMES ? ['./test/support/report-times.ts'] : []),
    ],
    // No test may start to download weights behind its back.
    env: { TRAMONTANE_AUTO_PULL: 'off' },
    pool: 'forks',
    // One more than the two cores a small machine has: a test often waits for another process.
    maxWorkers: 3,
    testTimeout: 60_000,
    // A busy machine is late, not wrong: what is awaited gets time, what never comes still fails.
    expect: { poll: { timeout: 20_000 } },
    // Once more after a failure; the closing lines of the run name every test that needed it.
    retry: 1,
    // Hooks start servers, three at once in some files.
    hookTimeout: 180_000,
  },
});
