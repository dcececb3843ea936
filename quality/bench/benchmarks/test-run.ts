import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endedChildrenMs } from '../../../test/support/process-tree.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

const WALL_SECONDS_MAX = 480;
const CPU_SECONDS_MAX = 900;
const SHOWN_CHARACTERS = 2000;
/** With these alone `--quick` shows that a run is measured. */
const FEW_TESTS = ['test/architecture'];

export const testRun: Benchmark = {
  name: 'test-run',
  summary:
    'npm test: its time, the processor time of all of its processes, and how many tests passed, failed and were skipped',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const file = join(directory, 'results.json');
      progress('test-run: npm test');
      const args = ['test', '--', ...(quick ? FEW_TESTS : []), '--reporter=json', `--outputFile=${file}`];
      const [startedAt, cpuBefore] = [performance.now(), endedChildrenMs()];
      const log = join(directory, 'output.log');
      const output = openSync(log, 'w');
      await once(spawn('npm', args, { stdio: ['ignore', output, output] }), 'exit');
      if (!existsSync(file)) throw new Error(readFileSync(log, 'utf8').slice(-SHOWN_CHARACTERS));
      const wall = (performance.now() - startedAt) / 1000;
      const cpu = (endedChildrenMs() - cpuBefore) / 1000;
      return [
        { name: 'time', value: wall, unit: 's', target: { at: '≤', value: WALL_SECONDS_MAX } },
        { name: 'processor time of all processes', value: cpu, unit: 's', target: { at: '≤', value: CPU_SECONDS_MAX } },
        ...countTests(file),
      ];
    }),
};

function countTests(file: string): Figure[] {
  const results = JSON.parse(readFileSync(file, 'utf8'));
  return [
    { name: 'tests that passed', value: results.numPassedTests, unit: '' },
    { name: 'tests that failed', value: results.numFailedTests, unit: '', target: { at: '≤', value: 0 } },
    { name: 'tests that were skipped', value: results.numPendingTests, unit: '' },
  ];
}
