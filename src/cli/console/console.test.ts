import { expect, it } from 'vitest';
import { run } from '../run-for-tests.ts';
import { showBuild } from './show-build.ts';

it('build reads the configuration first', async () => {
  const { code, stderr } = await run(['console', 'build'], { TRAMONTANE_PORT: 'abc' });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('TRAMONTANE_PORT') });
});

it('a build that runs beside the server shows its progress and its end', () => {
  const shown: string[] = [];
  const add = (text: string) => void shown.push(text);
  const output = { note: add, progress: add };
  showBuild(output, { phase: 'reading', modules: 3 });
  showBuild(output, { phase: 'writing', modules: 9 });
  showBuild(output, { phase: 'ready', elapsedMs: 2345 });
  expect(shown).toEqual([
    'building the console: 3 modules read',
    'building the console: 9 modules read, writing files',
    'the console is ready: built in 2.3 s',
  ]);
});
