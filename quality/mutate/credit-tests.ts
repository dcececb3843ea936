import { afterAll, beforeAll, inject, type RunnerTask, vi } from 'vitest';
import { mutatedRooms } from './mutated-rooms.ts';

/**
 * Stryker asks the tests that reached a mutant, and none where only an import or a hook did. Here a hook counts for the
 * tests of its file, and an import for the files in the room, whose mutants are therefore active from the start: each
 * has its own process.
 */
type Hits = Record<string, number>;
type State = { activeMutant?: string; mutantCoverage?: { static: Hits; perTest: Record<string, Hits> } };

const injected = inject as (name: string) => unknown;
const { __stryker__: state } = globalThis as unknown as { __stryker__?: State };
const { folder = '' } = mutatedRooms[process.env.TRAMONTANE_TEST_MUTATED ?? ''] ?? {};

if (state && injected('mode') === 'mutant') {
  state.activeMutant = String(injected('activeMutant'));
  // It often makes a test wait for what never comes.
  vi.setConfig({ testTimeout: 20_000, hookTimeout: 20_000 });
} else if (state) creditFile(state);

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
    for (const test of listTests(suite.file.tasks, suite.file.filepath))
      coverage.perTest[test] = { ...inRoom, ...hooked, ...coverage.perTest[test] };
  });
}

/** With the ids that Stryker gives to tests. */
function listTests(tasks: readonly RunnerTask[], file: string, names: readonly string[] = []): string[] {
  return tasks.flatMap((task) => {
    if (task.type === 'suite') return listTests(task.tasks, file, [...names, task.name]);
    return task.mode === 'run' ? [`${file}#${[...names, task.name].join(' > ').trim()}`] : [];
  });
}
