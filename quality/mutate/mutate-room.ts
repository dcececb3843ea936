import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { ROOT } from '../build/layout.ts';
import { describeMutant } from './describe-mutant.ts';
import { harmless } from './harmless.ts';
import { type Judgement, judgeMutants } from './judge-mutants.ts';
import { mutatedRooms } from './mutated-rooms.ts';

/** Changes a room in one place after another, each in its own process, and judges which changes its tests noticed. */
export async function mutateRoom(name: string, files: readonly string[] = []): Promise<Judgement> {
  const { folder } = mutatedRooms[name] ?? {};
  if (!folder) throw new Error(`There is no room '${name}' in quality/mutate/mutated-rooms.ts.`);
  process.chdir(ROOT);
  // The configuration of Vitest and the plugin are read by processes that Stryker starts.
  process.env.TRAMONTANE_TEST_MUTATED = name;
  process.env.TRAMONTANE_TEST_MUTATED_FILES = files.join(' ');
  const tempDirName = mkdtempSync(join(tmpdir(), 'tramontane-mutate-'));
  try {
    const results = await new Stryker({
      mutate: [`${folder}/**/*.ts`, '!**/*.test.ts', '!**/*-for-tests.ts'],
      // Most texts are for people, and their tests would only repeat them.
      mutator: { excludedMutations: ['StringLiteral'], plugins: null },
      plugins: [import.meta.resolve('@stryker-mutator/vitest-runner'), join(import.meta.dirname, 'choose-mutants.ts')],
      reporters: ['chosen-mutants'],
      checkers: ['chosen-mutants'],
      testRunner: 'vitest',
      vitest: { configFile: 'quality/mutate/vitest.config.ts', related: false, pool: 'forks' },
      coverageAnalysis: 'perTest',
      // What only an import reaches is credited to tests by credit-tests.ts, so that few of them run for it.
      ignoreStatic: true,
      // One more than there are cores: a test often waits.
      concurrency: availableParallelism() + 1,
      // A busy machine is late, not wrong.
      timeoutMS: 30_000,
      dryRunTimeoutMinutes: 20,
      tempDirName,
      ignorePatterns: ['dist', 'site', 'release'],
      // Stryker reads it with an interface that TypeScript 7 does not have, and nothing here needs it.
      tsconfigFile: 'none',
      disableTypeChecks: false,
      logLevel: 'error',
      allowConsoleColors: false,
    } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
    const chosen = new Set(JSON.parse(readFileSync(join(tempDirName, 'chosen.json'), 'utf8')) as string[]);
    const tried = results.filter(({ id }) => chosen.has(id));
    return judgeMutants(
      tried.map((mutant) => ({ ...describeMutant(mutant, 1), status: mutant.status })),
      harmless,
    );
  } finally {
    rmSync(tempDirName, { recursive: true, force: true });
  }
}
