import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { documentedRoutes, openApiOf } from '../../app.ts';
import { CHECKOUT, run, runJson } from '../run-for-tests.ts';

inFull.it('writes the document of the routes, and --check agrees', async () => {
  const file = join(temporaryDir(), 'openapi/openapi.json');
  expect(await run(['openapi', '--file', file])).toMatchObject({ code: 0, stderr: '' });
  const text = readFileSync(file, 'utf8');
  expect(text === `${JSON.stringify(openApiOf(documentedRoutes()), null, 2)}\n`).toBe(true);
  expect(text).toMatch(/^{\n {2}"openapi": "3\.1\.0"/);
  expect(await runJson(['openapi', '--check', '--file', file])).toMatchObject({
    code: 0,
    data: { file, current: true },
  });
  expect(await runJson(['openapi', '--file', file])).toMatchObject({ code: 0, data: { changed: false } });
});

it('--check fails on a file that differs, says how to mend it, and leaves it alone', async () => {
  const file = join(temporaryDir(), 'openapi.json');
  writeFileSync(file, '{}\n');
  expect(await run(['openapi', '--check', '--file', file])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${file} does not match the routes. Regenerate it with: npx tramontane openapi\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
});

it('is about the committed file, wherever it is run', async () => {
  const { data } = await runJson(['openapi', '--check']);
  expect(data.file ?? data.error).toContain(join(CHECKOUT, 'openapi/openapi.json'));
});
