import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/templates.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/report-missing.ts'],
    // No test may start to download weights behind its back.
    env: { TRAMONTANE_AUTO_PULL: 'off' },
    pool: 'forks',
    // One more than the two cores a small machine has: a test often waits for another process.
    maxWorkers: 3,
    testTimeout: 30_000,
    // A busy machine is late, not wrong: what is awaited gets time, what never comes still fails.
    expect: { poll: { timeout: 10_000 } },
    // Once more after a failure; the closing lines of the run name every test that needed it.
    retry: 1,
    hookTimeout: 60_000,
  },
});
