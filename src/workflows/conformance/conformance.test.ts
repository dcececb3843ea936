import { afterAll, beforeAll, describe, it } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { temporal } from '../../../test/support/temporal-program.ts';
import { type At, type Engine, openEngine } from './open-engine-for-tests.ts';
import { scenarios } from './scenarios-for-tests.ts';

/** What became of each scenario on each engine; the table is printed when both are through. */
const outcomes = new Map<string, Map<Engine, string>>();

/** What every run asks of Temporal: steps, messages, a cancellation and what is read back. */
const SHORT = new Set([
  'three steps run one after another',
  'signals, queries and updates reach the code',
  'a cancelled execution cleans up',
  'the history has the names of its events',
]);
const START_MS = 120_000;
const SCENARIO_MS = 90_000;

describe.each(['embedded', 'temporal'] as const)('on the %s engine', (engine) => {
  describe.runIf(engine === 'embedded' || temporal)('with the same workflows', { concurrent: true }, () => {
    let at: At;
    beforeAll(async () => {
      at = await openEngine(engine);
    }, START_MS);

    for (const [name, run] of Object.entries(scenarios))
      (engine === 'embedded' || SHORT.has(name) ? it : inFull.it)(
        name,
        async () => {
          const row = outcomes.get(name) ?? new Map();
          outcomes.set(name, row.set(engine, 'FAILED'));
          const began = performance.now();
          await run(at);
          row.set(engine, `${Math.round(performance.now() - began)} ms`);
        },
        SCENARIO_MS,
      );
  });
});

afterAll(() => {
  const rows = [...outcomes].map(([name, row]) => ({
    scenario: name,
    embedded: row.get('embedded') ?? 'skipped',
    temporal: row.get('temporal') ?? 'skipped',
  }));
  const width = Math.max(...rows.map(({ scenario }) => scenario.length));
  const line = ({ scenario, embedded, temporal: other }: (typeof rows)[number]) =>
    `${scenario.padEnd(width)}  ${embedded.padStart(9)}  ${other.padStart(9)}`;
  console.log(
    [line({ scenario: 'scenario', embedded: 'embedded', temporal: 'temporal' }), ...rows.map(line)].join('\n'),
  );
});
