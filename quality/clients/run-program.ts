import { spawn } from 'node:child_process';

type Options = { env: NodeJS.ProcessEnv; cwd?: string; timeoutMs: number };

/** Runs a program to its end, in a process group of its own that is ended with it. */
export function runProgram(
  command: string,
  args: string[],
  { env, cwd, timeoutMs }: Options,
): Promise<{ code: number | null; stdout: string; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, ...(cwd && { cwd }), stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stdout = '';
    let output = '';
    const timer = setTimeout(() => {
      output += `\n(ended after ${timeoutMs / 1000} s)`;
      end(child.pid);
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      end(child.pid);
      resolve({ code, stdout, output });
    });
  });
}

function end(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL');
  } catch {
    // It has ended.
  }
}
