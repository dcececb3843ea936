import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

type Check = { id: string; status: string };

/** The checks that failed in each scenario; a scenario that passed has an empty list. */
export type Findings = Map<string, string[]>;

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** Runs the official scenarios that a revision of the protocol requires of a server. */
export function runRequirements(url: string, revision: string): Promise<Findings> {
  return runSuite(['--url', url, '--requirements', revision]);
}

/** Runs one scenario, whether the revision requires it or not. */
export function runScenario(url: string, revision: string, scenario: string): Promise<Findings> {
  return runSuite(['--url', url, '--spec-version', revision, '--scenario', scenario, '--force']);
}

/**
 * Runs one scenario against a client: a command that gets the address of the suite's server as its last argument. Like the
 * suite, warnings count.
 */
export function runClientScenario(command: string, revision: string, scenario: string): Promise<Findings> {
  return runSuite(['--command', command, '--spec-version', revision, '--scenario', scenario, '--force'], 'client');
}

async function runSuite(options: string[], side: 'server' | 'client' = 'server'): Promise<Findings> {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-conformance-'));
  try {
    const output = await run([side, ...options, '--output-dir', dir]);
    // Names of scenarios may have a slash.
    const found = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => basename(name) === 'checks.json')
      .map((name) => [scenarioOf(dirname(name)), problemsIn(join(dir, name), side)] as const);
    if (found.length === 0) throw new Error(`The conformance suite ran nothing:\n${output}`);
    return new Map(found);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function run(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('exit', () => resolve(output));
  });
}

// server-tools-list-2026-11-15T07-04-22-118Z
function scenarioOf(name: string): string {
  return name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');
}

function problemsIn(file: string, side: 'server' | 'client'): string[] {
  const checks = JSON.parse(readFileSync(file, 'utf8')) as Check[];
  const isProblem = ({ status }: Check) => status === 'FAILURE' || (status === 'WARNING' && side === 'client');
  return checks.filter(isProblem).map(({ id }) => id);
}
