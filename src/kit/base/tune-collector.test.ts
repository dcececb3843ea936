import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PROGRAM = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { releaseWhenQuiet } from ${JSON.stringify(new URL('tune-collector.ts', import.meta.url).href)};
  const heap = () => process.memoryUsage().heapTotal / 2 ** 20;
  const settled = async (least) => {
    for (let tries = 0; heap() > least && tries < 100; tries++) await delay(200);
    return heap();
  };
  releaseWhenQuiet();
  await delay(3000);
  const quiet = heap();
  let burst = Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: 'x' + i }));
  const busy = heap();
  burst = undefined;
  console.log(JSON.stringify({ quiet, busy, after: await settled(quiet + 16) }));
`;

it('memory is given back in the quiet moment after a burst, not only after the start', async () => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM]);
  const { quiet, busy, after } = JSON.parse((await run).stdout) as Record<'quiet' | 'busy' | 'after', number>;
  expect(busy).toBeGreaterThan(quiet + 64);
  expect(after).toBeLessThan(quiet + 16);
});
