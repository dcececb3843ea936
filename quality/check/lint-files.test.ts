import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lintFiles } from './lint-files.ts';

it('only files that were not passed before, as they are and with this configuration, are linted again', () => {
  const root = mkdtempSync(join(tmpdir(), 'tramontane-lint-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const lint = () => {
    const { isPassed, linted } = lintFiles(root, join(root, 'memory/passed.txt'));
    return { isPassed, linted: linted.sort() };
  };
  spawnSync('git', ['init', '--quiet', root]);
  write('.gitignore', 'memory/\n');
  write('biome.json', '{}\n');
  write('a.ts', 'export const a = 1;\n');
  write('notes.md', '# Notes\n');
  const all = ['.gitignore', 'a.ts', 'biome.json', 'notes.md'];
  expect(lint()).toEqual({ isPassed: true, linted: all });
  expect(lint()).toEqual({ isPassed: true, linted: [] });
  write('b.ts', 'debugger;\n');
  expect(lint()).toEqual({ isPassed: false, linted: ['b.ts'] });
  expect(lint()).toEqual({ isPassed: false, linted: ['b.ts'] });
  write('b.ts', 'export const b = 1;\n');
  expect(lint()).toEqual({ isPassed: true, linted: ['b.ts'] });
  write('biome.json', '{ "formatter": { "indentStyle": "space" } }\n');
  expect(lint()).toEqual({ isPassed: true, linted: [...all, 'b.ts'].sort() });
});
