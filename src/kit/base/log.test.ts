import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { expect, it } from 'vitest';

const log = JSON.stringify(new URL('./log.ts', import.meta.url).href);
const script = `
  const { createLog } = await import(${log});
  const log = createLog('info');
  for (let n = 0; n < 2000; n++) log.warn({ n, text: 'x'.repeat(2000) }, 'a line that finds no room');
  process.emitWarning('neither does this one');
  setTimeout(() => process.stdout.write('alive'), 100);
`;

it.runIf(process.platform === 'linux')(
  'a log whose disk is full ends nothing, throws nothing and keeps little',
  async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
    });
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said).toBe('alive');
  },
);
