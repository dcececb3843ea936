import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 40;
const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(9);

type Row = { file: string; testsMs: number; importMs: number; tests: number };

/** The files that took longest, with their tests and hooks apart from what they import, and the sum of all. */
export default class ReportTimes implements Reporter {
  readonly #rows: Row[] = [];

  onTestModuleEnd(module: TestModule): void {
    const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic();
    const tests = [...module.children.allTests()].length;
    const importMs = collectDuration + prepareDuration + setupDuration;
    this.#rows.push({ file: module.relativeModuleId, testsMs: duration, importMs, tests });
  }

  onTestRunEnd(): void {
    const longest = this.#rows.toSorted((a, b) => b.testsMs + b.importMs - a.testsMs - a.importMs);
    console.log(' tests, s imports, s  tests  file');
    for (const row of longest.slice(0, SHOWN)) print(row);
    const sum = (of: (row: Row) => number) => this.#rows.reduce((total, row) => total + of(row), 0);
    print({
      file: `all ${this.#rows.length} files`,
      testsMs: sum(({ testsMs }) => testsMs),
      importMs: sum(({ importMs }) => importMs),
      tests: sum(({ tests }) => tests),
    });
  }
}

function print({ file, testsMs, importMs, tests }: Row): void {
  console.log(`${seconds(testsMs)} ${seconds(importMs)} ${String(tests).padStart(6)}  ${file}`);
}
