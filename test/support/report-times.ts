import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { KINDS, kindOf } from './kinds.ts';
import { treeCpuMs } from './process-tree.ts';

const SHOWN = 50;

type Times = { wallMs: number; cpuMs: number };
export type TestTimes = Times & { file: string; title: string };
export type FileTimes = Times & { file: string };

/**
 * Prints the tests that took longest, and the sum of each kind: the time by the clock, and the processor time of the test
 * process and of those that it started. TRAMONTANE_TEST_TIMES is 1, or names a file for all of it as JSON.
 */
export default class ReportTimes implements Reporter {
  readonly #tests: TestTimes[] = [];
  readonly #files: FileTimes[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'skipped') return;
    const { cpuMs = 0 } = test.meta();
    const wallMs = test.diagnostic()?.duration ?? 0;
    this.#tests.push({ wallMs, cpuMs, file: test.module.relativeModuleId, title: test.fullName });
  }

  onTestModuleEnd(module: TestModule): void {
    const { cpuMs = 0 } = module.meta();
    const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic();
    const wallMs = duration + collectDuration + prepareDuration + setupDuration;
    this.#files.push({ wallMs, cpuMs, file: module.relativeModuleId });
  }

  onTestRunEnd(): void {
    const tests = this.#tests.toSorted((a, b) => b.wallMs - a.wallMs);
    const kinds = sumByKind(tests, this.#files);
    // Of this process from its start on, with its workers and the PostgreSQL that it started.
    const run = { wallMs: performance.now(), cpuMs: treeCpuMs() };
    console.log(`${renderTests(tests)}\n\n${renderKinds(kinds)}\n\nThe whole run ${renderTimes(run)}`);
    const path = process.env.TRAMONTANE_TEST_TIMES;
    if (path && path !== '1') writeFileSync(path, `${JSON.stringify({ run, kinds, tests }, null, 2)}\n`);
  }
}

type KindTimes = { kind: string; tests: number; inTests: Times; beside: Times };

/** The times of each kind: in its tests, and beside the tests of its files, in their hooks and imports. */
export function sumByKind(tests: TestTimes[], files: FileTimes[]): KindTimes[] {
  return KINDS.map(({ name: kind }) => {
    const own = tests.filter(({ file, title }) => kindOf(file, title) === kind);
    const ownFiles = files.filter(({ file }) => kindOf(file) === kind);
    const paths = new Set(ownFiles.map(({ file }) => file));
    const [whole, inside] = [sum(ownFiles), sum(tests.filter(({ file }) => paths.has(file)))];
    // Tests that run at the same time have each counted all of it, which is more than their file took.
    const rest = (name: keyof Times) => Math.max(0, whole[name] - inside[name]);
    return { kind, tests: own.length, inTests: sum(own), beside: { wallMs: rest('wallMs'), cpuMs: rest('cpuMs') } };
  });
}

function sum(times: Times[]): Times {
  const add = (name: keyof Times) => times.reduce((total, time) => total + time[name], 0);
  return { wallMs: add('wallMs'), cpuMs: add('cpuMs') };
}

function renderTests(tests: TestTimes[]): string {
  const rows = tests.slice(0, SHOWN).map((test) => `${renderTimes(test)}  ${test.file}: ${test.title}`);
  return [' wall, s   CPU, s  test', ...rows].join('\n');
}

function renderKinds(kinds: KindTimes[]): string {
  const rows = kinds.map(
    ({ kind, tests, inTests, beside }) =>
      `${kind.padEnd(14)}${String(tests).padStart(6)}  ${renderTimes(inTests)}  ${renderTimes(beside)}`,
  );
  return ['kind           tests   wall, s   CPU, s   beside: s   CPU, s', ...rows].join('\n');
}

const renderTimes = ({ wallMs, cpuMs }: Times) => `${renderSeconds(wallMs)} ${renderSeconds(cpuMs)}`;
const renderSeconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8);
