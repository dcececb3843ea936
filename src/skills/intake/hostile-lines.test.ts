import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { scanText } from './scan-file.ts';

const LENGTH = 100_000;

it.each([' ', 'sh ', 'curl ', 'sh -a ', '$(', '\\', '|', 'a=', './', 'http://', 'eval(', '\\x41'])(
  'a line that repeats %j is scanned in no time',
  (piece) => {
    for (const head of ['', 'bash', 'curl x | sudo', 'base64'])
      for (const end of ['', ' !', ' | sh']) {
        const line = `${head}${piece.repeat(LENGTH / piece.length)}${end}`;
        // A quadratic pattern takes seconds.
        expect(cpuMsOf(() => scanText('run.sh', line))).toBeLessThan(400);
      }
  },
);
