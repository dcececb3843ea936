import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { homeOfNobody } from './environment.ts';

it('a child of a number that no user has gets a home directory, and one of a user gets none', () => {
  const noSuchUser = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(homeOfNobody(noSuchUser)).toEqual({ HOME: tmpdir() });
  expect(homeOfNobody(() => ({ username: 'someone' }))).toEqual({});
});

it.runIf(process.getuid?.() === 0)('libraries that ask for the home directory load under any number', () => {
  const ask = 'process.stdout.write(require("node:os").homedir())';
  const asNobody = (env: object) =>
    execFileSync('/bin/sh', ['-c', `"$NODE" -e '${ask}'`], {
      uid: 54_321,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { NODE: process.execPath, ...env },
    });
  expect(() => asNobody({})).toThrow();
  expect(asNobody(homeOfNobody(() => expect.unreachable()))).toBe(tmpdir());
});
