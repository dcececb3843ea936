import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { inFull } from '../../test/support/in-full.ts';
import { judgeMutants, type TriedMutant } from './judge-mutants.ts';

const mutant = (line: number, status: string): TriedMutant => ({
  file: 'src/room/check.ts',
  line,
  column: 3,
  code: `line ${line}`,
  change: 'a < b → a <= b',
  status,
});
const mutants = (killed: number, ...others: string[]) =>
  [...Array.from({ length: killed }, () => 'Killed'), ...others].map((status, line) => mutant(line, status));
const excuse = (line: number) => ({ ...mutant(line, ''), reason: 'the same for each number' });

describe('a room under mutation', () => {
  it('passes with four of five mutants noticed, and fails with less', () => {
    expect(judgeMutants(mutants(4, 'Survived'), [])).toMatchObject({
      score: 0.8,
      faults: [],
      survivors: [{ line: 4 }],
    });
    expect(judgeMutants(mutants(3, 'Survived'), []).faults).toEqual(['Only 75.0 % were noticed; 80.0 % are needed.']);
    expect(judgeMutants([], []).faults).toHaveLength(1);
  });

  it('counts what no test reaches as survived, what hangs as noticed, and leaves out what does not run', () => {
    const judged = judgeMutants(mutants(2, 'Timeout', 'NoCoverage', 'Ignored', 'RuntimeError'), []);
    expect(judged).toMatchObject({ tried: 5, killed: 3, survivors: [{ line: 3 }, { line: 4 }] });
  });

  it('leaves out at most one of twenty as harmless, none of which a test may notice', () => {
    expect(judgeMutants(mutants(19, 'Survived'), [excuse(19)])).toMatchObject({ score: 1, faults: [], survivors: [] });
    expect(judgeMutants(mutants(18, 'Survived'), [excuse(18)]).faults).toEqual([
      '1 of 19 are listed as harmless; at most 5.0 % may be.',
    ]);
    expect(judgeMutants(mutants(20), [excuse(7)]).faults).toEqual([
      'Listed as harmless, and noticed: src/room/check.ts:7  a < b → a <= b',
    ]);
  });

  inFull.it('is printed with what its tests do not notice', () => {
    // Stryker runs Vitest itself, and must not take itself for a part of this run.
    const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV)/.test(name));
    const { stdout, status } = spawnSync(process.execPath, ['quality/mutate/run.ts', 'planted', '--json'], {
      env: Object.fromEntries(environment),
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      room: 'planted',
      tried: 5,
      killed: 4,
      survivors: [
        { file: 'quality/mutate/planted/is-adult.ts', line: 5, change: 'age >= ADULT_AGE → age > ADULT_AGE' },
      ],
    });
    expect(status).toBe(0);
  });
});
