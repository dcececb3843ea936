import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawArchitecture } from '../../quality/pictures/draw-architecture.ts';
import { temporaryDir } from '../support/databases.ts';
import { root } from './read-markdown.ts';

const folder = join(root, 'docs/pictures');
const BYTES_MAX = 150_000;
const ALL_BYTES_MAX = 1_000_000;

it('the pictures come in both themes, each of at most 150 kB and all of at most 1 MB', async () => {
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThan(8);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  expect(names.filter((_, at) => (sizes[at] ?? 0) > BYTES_MAX)).toEqual([]);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(ALL_BYTES_MAX);
  const other = (name: string) =>
    name.includes('-light.') ? name.replace('-light', '-dark') : name.replace('-dark', '-light');
  expect(names.filter((name) => !names.includes(other(name)))).toEqual([]);
});

it('the drawing is the one that npm run pictures draws', async () => {
  const drawn = temporaryDir();
  await drawArchitecture(drawn);
  for (const name of await readdir(drawn))
    expect(readFileSync(join(folder, name), 'utf8'), 'run: npm run pictures').toBe(
      readFileSync(join(drawn, name), 'utf8'),
    );
});
