import { spawn } from 'node:child_process';

export type Part = { name: string; command: string; args: string[]; env?: Record<string, string> };
export type Outcome = { name: string; isPassed: boolean; seconds: number; output: string };

/** Runs the parts in their order, a few at a time. All of them run, whatever becomes of the others. */
export async function runParts(parts: Part[], atOnce: number, onEnd: (outcome: Outcome) => void): Promise<boolean> {
  const waiting = [...parts];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const outcome = await runPart(part);
      outcomes.push(outcome);
      onEnd(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes.every(({ isPassed }) => isPassed);
}

function runPart({ name, command, args, env }: Part): Promise<Outcome> {
  const startedAt = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    const end = (isPassed: boolean) =>
      resolve({ name, isPassed, seconds: (performance.now() - startedAt) / 1000, output });
    child.once('error', (error) => {
      output += error.message;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}
