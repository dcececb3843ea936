import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole } from './support/build-console.ts';

type Manifest = Record<string, { file: string; imports?: string[]; dynamicImports?: string[]; isEntry?: boolean }>;

const dist = await buildConsole();
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
const areas = Object.keys(manifest).filter((name) => /^src\/pages\/[\w-]+\/routes\.tsx$/.test(name));

/** The files that the browser has fetched when a chunk runs. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const needed of chunk.imports ?? []) filesOf(needed, seen);
  return seen;
}

function gzipped(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
}

test.each(['src/pages/home/routes.tsx', 'src/pages/sign-in/routes.tsx'])(
  'the first view of %s is less than 200 kB of JavaScript, gzipped',
  (area) => {
    const files = new Set([...filesOf('index.html'), ...filesOf(area)]);
    expect(files.size).toBeGreaterThan(1);
    expect(gzipped(files)).toBeLessThan(200_000);
  },
);

test('what is built is what is served: React without its development tools', () => {
  expect(Object.keys(manifest).filter((name) => name.includes('dev-runtime'))).toEqual([]);
  expect([...filesOf('index.html')].filter((file) => file.includes('dev-runtime'))).toEqual([]);
});

test('each area is a chunk of its own that the first one does not bring along', () => {
  expect(areas.length).toBeGreaterThanOrEqual(11);
  const first = filesOf('index.html');
  for (const area of areas) expect(first.has(manifest[area]?.file ?? ''), area).toBe(false);
  expect(new Set(areas.map((area) => manifest[area]?.file)).size).toBe(areas.length);
});

test('the page has no script or style in its HTML, which the policy would refuse', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(html).toContain('<script type="module"');
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});
