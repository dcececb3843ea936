import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';
import { mutatedRooms } from './mutated-rooms.ts';

const { projects: _, ...test } = base.test ?? {};
const tests = mutatedRooms[process.env.TRAMONTANE_TEST_MUTATED ?? '']?.tests ?? [];

/** The quick files first: the first failure ends the run of a mutant. */
class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((pattern) => matchesGlob(relative(process.cwd(), moduleId), pattern));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

/** The tests of one room on SQLite, which Stryker runs again for each mutant. */
export default defineConfig({
  test: {
    ...test,
    include: [...tests],
    // Without that of PostgreSQL, its tests are skipped.
    globalSetup: ['test/support/templates.ts'],
    setupFiles: ['quality/mutate/credit-tests.ts', 'test/support/each-file.ts'],
    reporters: [],
    isolate: false,
    sequence: { sequencer: InGivenOrder },
    retry: 0,
  },
});
