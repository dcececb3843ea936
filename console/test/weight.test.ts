import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildConsole } from './support/build-console.ts';
import { filesOf, readManifest, weighFirstView } from './weigh.ts';

const dist = await buildConsole();
const manifest = readManifest(dist);
const areas = Object.keys(manifest).filter((name) => /^src\/pages\/[\w-]+\/routes\.tsx$/.test(name));

test.each(['src/pages/home/routes.tsx', 'src/pages/sign-in/routes.tsx'])(
  'the first view of %s is less than 150 kB of JavaScript, gzipped',
  (area) => {
    const { files, bytes } = weighFirstView(dist, area);
    expect(files.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(150_000);
  },
);

test('the build is a production build of React', () => {
  expect(Object.keys(manifest).filter((name) => name.includes('dev-runtime'))).toEqual([]);
  expect([...filesOf(manifest, 'index.html')].filter((file) => file.includes('dev-runtime'))).toEqual([]);
});

test('each area is a chunk of its own, loaded separately', () => {
  expect(areas.length).toBeGreaterThanOrEqual(11);
  const first = filesOf(manifest, 'index.html');
  for (const area of areas) expect(first.has(manifest[area]?.file ?? ''), area).toBe(false);
  expect(new Set(areas.map((area) => manifest[area]?.file)).size).toBe(areas.length);
});

test('the HTML has no inline script or style, which the policy would block', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(html).toContain('<script type="module"');
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});
