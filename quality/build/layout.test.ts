import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHILDREN, ROOT } from './layout.ts';

/** Run only in a checkout. */
const NOT_PACKED = ['console/app/build/build-child.ts'];

it('what threads and child processes run is in the package', () => {
  const named = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/codeFile\('([^']+\.ts)'\)/g)].map(([, file]) => file),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file = '') => ![...CHILDREN, ...NOT_PACKED].includes(file))).toEqual([]);
});
