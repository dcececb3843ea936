import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS, kindOf } from './kinds.ts';
import { treeCpuMs } from './process-tree.ts';
import { sumByKind } from './report-times.ts';

const COMPUTED_MS = 300;
/** Says when it has computed for that long, and stays until its input ends. */
const COMPUTE = `
  const { user, system } = process.cpuUsage();
  const spent = () => { const now = process.cpuUsage({ user, system }); return (now.user + now.system) / 1000; };
  while (spent() < ${COMPUTED_MS});
  console.log('computed');
  process.stdin.resume();
`;

describe.runIf(process.platform === 'linux')('processor time', () => {
  it('has that of a child that runs, and keeps it when the child has ended', async () => {
    const before = treeCpuMs();
    const child = spawn(process.execPath, ['-e', COMPUTE]);
    await once(child.stdout, 'data');
    expect(treeCpuMs() - before).toBeGreaterThanOrEqual(COMPUTED_MS);
    child.stdin.end();
    await once(child, 'exit');
    expect(treeCpuMs() - before).toBeGreaterThanOrEqual(COMPUTED_MS);
  });

  it('has that of a child of a child', () => {
    const before = treeCpuMs();
    execFileSync('sh', ['-c', '"$0" -e "$1" < /dev/null; true', process.execPath, COMPUTE]);
    expect(treeCpuMs() - before).toBeGreaterThanOrEqual(COMPUTED_MS);
  });
});

describe('the kind of a test', () => {
  it.each([
    ['console/test/home.test.ts', 'Home shows a failed request', 'browser'],
    ['src/prompts/routes.test.ts', '/v2/prompts on PostgreSQL 200', 'PostgreSQL'],
    ['src/prompts/routes.test.ts', '/v2/prompts on SQLite 200', 'in-process'],
    ['src/workflows/conformance/conformance.test.ts', 'on the temporal engine steps run side by side', 'Temporal'],
    ['src/cli/keys/keys.test.ts', 'keys on PostgreSQL revoke closes it', 'programs'],
  ])('of %s: %s is %s', (file, title, kind) => {
    expect(kindOf(file, title)).toBe(kind);
  });

  it('is named by patterns that each have a file', () => {
    const root = resolve(import.meta.dirname, '../..');
    const patterns = KINDS.flatMap(({ files }) => files ?? []);
    expect(patterns.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).toEqual([]);
  });
});

it('the sum of a kind has its tests apart from the hooks and imports of its files', () => {
  const file = 'src/prompts/routes.test.ts';
  const tests = [
    { file, title: 'a list on SQLite', wallMs: 10, cpuMs: 5 },
    { file, title: 'a list on PostgreSQL', wallMs: 30, cpuMs: 7 },
  ];
  const sums = sumByKind(tests, [{ file, wallMs: 100, cpuMs: 50 }]).filter(({ tests }) => tests > 0);
  expect(sums).toEqual([
    { kind: 'PostgreSQL', tests: 1, inTests: { wallMs: 30, cpuMs: 7 }, beside: { wallMs: 0, cpuMs: 0 } },
    { kind: 'in-process', tests: 1, inTests: { wallMs: 10, cpuMs: 5 }, beside: { wallMs: 60, cpuMs: 38 } },
  ]);
});
