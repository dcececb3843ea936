import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url).pathname;

/** A form in a dialog whose refusals no input would show: it needs an ErrorNotice, which EntityDialog has. */
function isSilent(source: string): boolean {
  const sends = /<Dialog\b[^>]*\bonSubmit=/s.test(source);
  return sends && !/<ErrorNotice|<EntityDialog/.test(source);
}

/** Sends nothing: asks for the path of a file, which it checks itself. */
const CHECKED_HERE = ['pages/skills/path-dialog.tsx'];

it('every dialog that sends something shows what was refused beside the input', () => {
  expect(isSilent('<Dialog title="x" onSubmit={send}><TextField label="Name" /></Dialog>')).toBe(true);
  const files = globSync('**/*.tsx', { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  const silent = files.filter((file) => isSilent(readFileSync(root + file, 'utf8')));
  expect(silent.filter((file) => file !== 'ui/entity-dialog.tsx').sort()).toEqual(CHECKED_HERE);
});
