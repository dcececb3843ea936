import { spawn } from 'node:child_process';
import type { Environment } from '../../config/environment.ts';

/** Programs that play a file and end, the ones that know every format first. */
const PLAYERS: readonly (readonly [program: string, ...words: string[]])[] = [
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'quiet'],
  ['mpv', '--no-video', '--really-quiet'],
  ['afplay'],
  ['paplay'],
  ['aplay', '-q'],
];

/** Plays the file with the first player that is installed and takes it; undefined where there is none. */
export async function playFile(file: string, env: Environment): Promise<string | undefined> {
  for (const [program, ...words] of PLAYERS) if (await succeeds(program, [...words, file], env)) return program;
  return undefined;
}

function succeeds(program: string, words: string[], env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', env });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
