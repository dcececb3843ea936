import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { launcherFile } from '../../../test/support/programs.ts';

/** Runs an operator command in a separate process, on the same disk as the server. */
export async function runCommand(args: string[], env: Record<string, string>): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [launcherFile(), ...args], { env: { ...process.env, ...env } });
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, text };
}
