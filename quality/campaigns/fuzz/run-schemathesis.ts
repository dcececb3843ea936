import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Fuzzed } from './start.ts';

const PROGRESS_MS = 5000;
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CONFIG = join(HERE, 'schemathesis.toml');

export type Failure = { type: string; title: string; operations: string[]; count: number };

export type Report = {
  complete: boolean;
  operations: { total: number; tested: number; errored: number };
  test_cases: { generated: number };
  failures: Failure[];
  errors: { title?: string; operations?: string[] }[];
  /** Its words about failures and errors, with a command that repeats each. */
  complaints: string;
};

type Run = {
  program: string;
  server: Fuzzed;
  directory: string;
  /** Of one process each, at the same time: one uses a single core. */
  parts: string[][];
  /** Called now and then with the number of requests that the server has answered. */
  onRequests: (count: number) => void;
};

/** Runs schemathesis to its end and returns its report; without a report, throws its whole output. */
export async function runSchemathesis({ parts, onRequests, ...run }: Run): Promise<Report> {
  const watch = setInterval(() => void countRequests(run.server.url).then(onRequests), PROGRESS_MS);
  try {
    const reports = await Promise.all(
      parts.map((args, i) => {
        const directory = join(run.directory, `part-${i}`);
        mkdirSync(directory);
        return runPart({ ...run, directory, args });
      }),
    );
    return reports.reduce(together);
  } finally {
    clearInterval(watch);
  }
}

function together(a: Report, b: Report): Report {
  return {
    complete: a.complete && b.complete,
    operations: {
      total: a.operations.total,
      tested: a.operations.tested + b.operations.tested,
      errored: a.operations.errored + b.operations.errored,
    },
    test_cases: { generated: a.test_cases.generated + b.test_cases.generated },
    failures: [...a.failures, ...b.failures],
    errors: [...a.errors, ...b.errors],
    complaints: a.complaints + b.complaints,
  };
}

type Part = Omit<Run, 'parts' | 'onRequests'> & { args: string[] };

async function runPart({ program, server, directory, args }: Part): Promise<Report> {
  const report = join(directory, 'report.json');
  const reporting = ['--report', 'json', '--report-json-path', report, '--no-color'];
  const child = spawn(program, ['--config-file', CONFIG, 'run', `${server.url}/openapi.json`, ...reporting, ...args], {
    // It writes files to its working directory.
    cwd: directory,
    env: {
      ...process.env,
      FUZZ_STANDARD_KEY: server.standardKey,
      FUZZ_ADMIN_KEY: server.adminKey,
      FUZZ_KNOWN: JSON.stringify(server.known),
      // Where its hooks are looked for.
      PYTHONPATH: HERE,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const said: string[] = [];
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', (line) => said.push(line));
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  process.off('exit', end);
  try {
    const first = said.findIndex((line) => /^=+ (ERRORS|FAILURES) =+$/.test(line));
    const complaints = first < 0 ? '' : `${said.slice(first).join('\n')}\n`;
    return { ...JSON.parse(readFileSync(report, 'utf8')), complaints };
  } catch (cause) {
    throw new Error(`schemathesis left no report. It said:\n${said.slice(-40).join('\n')}`, { cause });
  }
}

async function countRequests(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts = metrics.matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
