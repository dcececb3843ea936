import { afterAll, beforeAll, inject, type RunnerTask } from 'vitest';
import { mutatedRooms } from './mutated-rooms.ts';

/**
 * Stryker asks the tests that reached a mutant, and none where only an import or a hook did. Here a hook counts for the
 * tests of its file, and an import for the files in the room, whose mutants are therefore active from the start: each
 * has its own process.
 */
type Hits = Record<string, number>;
type State = { activeMutant?: string; mutantCoverage?: { static: Hits; perTest: Record<string, Hits> } };

/** What so many tests do not notice, the next ones seldom do either, and a survivor waits for all. */
const TESTS_MAX = 40;

const injected = inject as (name: string) => unknown;
// Modules are shared by the files of a process, and this one runs again for each: what lasts is kept here.
const lasting = globalThis as unknown as { __stryker__?: State; creditedTests?: Map<string, number> };
lasting.creditedTests ??= new Map();
const { creditedTests: credited, __stryker__: state } = lasting;
const { folder = '' } = mutatedRooms[process.env.TRAMONTANE_TEST_MUTATED ?? ''] ?? {};

if (state && injected('mode') === 'mutant') state.activeMutant = String(injected('activeMutant'));
else if (state) creditFile(state);

function creditFile(state: State): void {
  let imported: Hits = {};
  beforeAll(() => {
    if (!state.mutantCoverage) return;
    imported = state.mutantCoverage.static;
    state.mutantCoverage.static = {};
  });
  // biome-ignore lint/correctness/noEmptyPattern: Vitest takes the first parameter of a hook for fixtures only.
  afterAll(({}, suite) => {
    const coverage = state.mutantCoverage;
    if (!coverage) return;
    const hooked = coverage.static;
    coverage.static = imported;
    const inRoom = suite.file.filepath.includes(`/${folder}/`) ? imported : {};
    for (const test of listTests(suite.file.tasks, suite.file.filepath)) {
      const reached = Object.entries({ ...hooked, ...coverage.perTest[test] });
      coverage.perTest[test] = { ...inRoom, ...Object.fromEntries(reached.filter(([mutant]) => credit(mutant))) };
    }
  });
}

function credit(mutant: string): boolean {
  const tests = (credited.get(mutant) ?? 0) + 1;
  credited.set(mutant, tests);
  return tests <= TESTS_MAX;
}

/** With the ids that Stryker gives to tests. */
function listTests(tasks: readonly RunnerTask[], file: string, names: readonly string[] = []): string[] {
  return tasks.flatMap((task) => {
    if (task.type === 'suite') return listTests(task.tasks, file, [...names, task.name]);
    return task.mode === 'run' ? [`${file}#${[...names, task.name].join(' > ').trim()}`] : [];
  });
}
