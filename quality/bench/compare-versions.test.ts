import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import type { Figure, Result } from './benchmark.ts';
import { judge } from './compare-versions.ts';
import { openVersion } from './open-version.ts';

const runsOf = (figures: Figure[][]): Result[][] =>
  figures.map((of) => [{ name: 'part', summary: '', tries: 1, figures: of }]);

it('calls a move better or worse by the target, and only moved without one', () => {
  const figures = (rate: number, time: number, size: number): Figure[] => [
    { name: 'rate', value: rate, unit: '/s', target: { at: '≥', value: 1 } },
    { name: 'time', value: time, unit: 'ms', target: { at: '≤', value: 1 } },
    { name: 'size', value: size, unit: 'B' },
  ];
  const before = runsOf([1, 2, 3, 4].map((n) => [...figures(100 + n, 100 + n, 100), { ...gone, value: n }]));
  const after = runsOf([1, 2, 3, 4].map((n) => [...figures(200 + n, 200 + n, 200), { ...fresh, value: n }]));
  const { figures: judged, onlyBefore, onlyAfter } = judge(before, after);
  expect(judged.map(({ figure, verdict }) => [figure.name, verdict])).toEqual([
    ['rate', 'better'],
    ['time', 'worse'],
    ['size', 'moved'],
  ]);
  expect({ onlyBefore, onlyAfter }).toEqual({ onlyBefore: ['part: gone'], onlyAfter: ['part: fresh'] });
  expect(judge(before, before).figures.every(({ verdict }) => verdict === 'same')).toBe(true);
});

const gone: Figure = { name: 'gone', value: 0, unit: '' };
const fresh: Figure = { name: 'fresh', value: 0, unit: '' };

inFull.it('opens another version with the packages of this one, and with its own packages of the repository', () => {
  const root = join(temporaryDir(), 'here');
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root, encoding: 'utf8' });
  write('package-lock.json', '{}');
  write('packages/own/index.js', 'old');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Old');
  write('packages/own/index.js', 'new');
  write('node_modules/other/index.js', 'other');
  mkdirSync(join(root, 'node_modules/@scope'));
  symlinkSync('../../packages/own', join(root, 'node_modules/@scope/own'));

  const there = join(temporaryDir(), 'there');
  const version = openVersion(root, 'HEAD', there);
  const read = (path: string) => readFileSync(join(there, 'node_modules', path), 'utf8');
  expect([read('other/index.js'), read('@scope/own/index.js')]).toEqual(['other', 'old']);
  version.close();
  expect(existsSync(there)).toBe(false);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(() => openVersion(root, 'missing', there)).toThrow('missing');
});
