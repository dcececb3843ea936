import { type ChildProcess, spawn } from 'node:child_process';
import { codeOf } from './errors.ts';

export type ProgramEnvironment = Record<string, string | undefined>;

export type ProgramResult = { kind: 'missing' } | { kind: 'ended'; code: number; output: string };

const OUTPUT_CHARACTERS_MAX = 16_384;

/** Runs a client of the machine to its end; aborting the signal ends it. `output` is the end of what it printed. */
export function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  options: { cwd: string; environment: ProgramEnvironment; signal: AbortSignal },
): Promise<ProgramResult> {
  const { cwd, environment, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // On Windows these clients are batch files, which only a shell starts. No argument of ours needs quotes.
    const isWindows = process.platform === 'win32';
    const child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: isWindows,
      // A group of its own: what is called pip is often a script around the real one, and both must end.
      detached: !isWindows,
    });
    let output = '';
    const keep = (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
    };
    const stop = () => void endGroup(child);
    const forget = () => {
      signal.removeEventListener('abort', stop);
      process.removeListener('exit', stop);
    };
    signal.addEventListener('abort', stop, { once: true });
    process.once('exit', stop);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.once('error', (error) => {
      forget();
      if (codeOf(error) === 'ENOENT') resolve({ kind: 'missing' });
      else reject(error);
    });
    child.once('close', (code) => {
      forget();
      if (signal.aborted) reject(signal.reason);
      else resolve({ kind: 'ended', code: code ?? 1, output });
    });
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill();
    return;
  }
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has just ended by itself.
  }
}
