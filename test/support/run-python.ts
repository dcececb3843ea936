import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { python } from './python.ts';

type Printed = { code: number; stdout: string; stderr: string };
type Runner = { child: ChildProcessByStdio<Writable, Readable, null>; lines: Interface };

let runner: Runner | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a script with the official Python SDK and returns what it printed. The scripts of all files of this process are
 * forks of one Python, which imports the SDK once and ends with this process.
 */
export function runPython(script: string, args: readonly string[]): Promise<string> {
  const next = last.then(async () => {
    runner ??= start();
    const died = once(runner.child, 'exit').then(() => Promise.reject(new Error(`Python ended while ${script} ran.`)));
    const answered = Promise.race([once(runner.lines, 'line'), died]);
    runner.child.stdin.write(`${JSON.stringify({ script, args })}\n`);
    const [line] = (await answered) as [string];
    const { code, stdout, stderr } = JSON.parse(line) as Printed;
    if (code !== 0) throw new Error(`${script} ended with ${code}:\n${stderr}`);
    return stdout;
  });
  last = next.catch(() => undefined);
  return next;
}

function start(): Runner {
  const child = spawn(python ?? '', [join(import.meta.dirname, 'python-runner.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  child.once('exit', () => {
    runner = undefined;
  });
  return { child, lines: createInterface({ input: child.stdout }) };
}
