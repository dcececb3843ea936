import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describeMutant, type Mutant, type Position } from './describe-mutant.ts';
import { mutatedRooms } from './mutated-rooms.ts';

type Options = { tempDirName: string };
type Planned = {
  mutant: Mutant & { mutatorName: string; status?: string; statusReason?: string };
  /** Stryker runs what is here when the plan was reported. */
  runOptions?: { testFilter?: string[] };
};

/** The same sample each time, so that two runs can be compared. */
const SEED = 'tramontane';
const SAMPLE_SIZE = 600;
/** What so many tests do not notice, the others seldom do either, and a survivor waits for all. */
const TESTS_MAX = 60;
const fileOf = ({ tempDirName }: Options) => join(tempDirName, 'chosen.json');

/** Chooses once, when the mutants are known: all of what decides about access, and a sample of the others. */
class ChoosingReporter {
  static inject = ['options'] as const;
  readonly #options: Options;
  #total = 0;
  #tested = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  onMutationTestingPlanReady({ mutantPlans }: { mutantPlans: Planned[] }): void {
    chooseTests(mutantPlans);
    const chosen = chooseMutants(mutantPlans.map(({ mutant }) => mutant));
    this.#total = chosen.length;
    writeFileSync(fileOf(this.#options), JSON.stringify(chosen));
  }

  onMutantTested({ statusReason }: { statusReason?: string }): void {
    if (statusReason === NOT_CHOSEN || this.#total === 0) return;
    this.#tested++;
    if (process.stderr.isTTY) process.stderr.write(`\r${this.#tested} of ${this.#total}`);
  }
}

const NOT_CHOSEN = 'not chosen';

/** Lets the chosen mutants through to the tests. */
class ChosenChecker {
  static inject = ['options'] as const;
  readonly #options: Options;
  #chosen: Set<string> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<object> {
    this.#chosen ??= new Set<string>(JSON.parse(readFileSync(fileOf(this.#options), 'utf8')));
    const chosen = this.#chosen;
    const judge = (id: string) =>
      chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: NOT_CHOSEN };
    return Object.fromEntries(mutants.map(({ id }) => [id, judge(id)]));
  }
}

function chooseMutants(planned: Planned['mutant'][]): string[] {
  const { folder, whole } = mutatedRooms[process.env.TRAMONTANE_TEST_MUTATED ?? ''] ?? { folder: '', whole: [] };
  const isWhole = (file: string) => whole.some((pattern) => matchesGlob(file, `${folder}/${pattern}`));
  // The plan has all files in any case: how specific a test is can be told only by the whole room.
  const files = (process.env.TRAMONTANE_TEST_MUTATED_FILES ?? '').split(' ').filter((file) => file !== '');
  const mutants = planned
    .filter(({ statusReason }) => !statusReason?.includes('excluded mutation'))
    .map((mutant) => {
      const { file, code, change } = describeMutant(mutant, 0);
      // Without the line: a change elsewhere in the file leaves the sample as it is.
      return { id: mutant.id, file, draw: hash('sha256', [SEED, file, code, change].join('\n'), 'hex') };
    })
    .filter(({ file }) => files.length === 0 || files.some((asked) => file === `${folder}/${asked}`));
  const others = mutants.filter(({ file }) => !isWhole(file)).sort((a, b) => (a.draw < b.draw ? -1 : 1));
  return [...mutants.filter(({ file }) => isWhole(file)), ...others.slice(0, SAMPLE_SIZE)].map(({ id }) => id);
}

/** The most specific tests that reach a mutant: those that reach the fewest others. */
function chooseTests(plans: Planned[]): void {
  const reached = new Map<string, number>();
  for (const { runOptions } of plans)
    for (const test of runOptions?.testFilter ?? []) reached.set(test, (reached.get(test) ?? 0) + 1);
  const others = (test: string) => reached.get(test) ?? 0;
  const chosen = plans.map((plan) => {
    // A function that does nothing is reached where it is made; those that call it reach what is in it.
    const inside = plan.mutant.mutatorName === 'ArrowFunction' ? plans.filter((other) => isInside(other, plan)) : [];
    const tests = (inside.length > 0 ? inside : [plan]).flatMap(({ runOptions }) => runOptions?.testFilter ?? []);
    return [...new Set(tests)].sort((a, b) => others(a) - others(b)).slice(0, TESTS_MAX);
  });
  for (const [i, { runOptions }] of plans.entries())
    if (runOptions?.testFilter) runOptions.testFilter = chosen[i] ?? [];
}

function isInside({ mutant: inner }: Planned, { mutant: outer }: Planned): boolean {
  const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.column <= b.column);
  return (
    inner.id !== outer.id &&
    inner.fileName === outer.fileName &&
    isBefore(outer.location.start, inner.location.start) &&
    isBefore(inner.location.end, outer.location.end)
  );
}

export const strykerPlugins = [
  { kind: 'Reporter', name: 'chosen-mutants', injectableClass: ChoosingReporter },
  { kind: 'Checker', name: 'chosen-mutants', injectableClass: ChosenChecker },
];
