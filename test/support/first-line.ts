import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The first line that a process prints. Throws with its error output if it exits before. */
export function firstLine(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout) throw new Error('The process was started without a pipe to read from.');
  let said = '';
  stderr?.on('data', (chunk) => {
    said += chunk;
    process.stderr.write(chunk);
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).once('line', resolve);
    child.once('close', (code, signal) =>
      reject(new Error(`The process ended (${code ?? signal}) before its first line. ${said}`)),
    );
  });
}
