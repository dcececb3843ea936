import { beforeAll, expect } from 'vitest';
import type { Environment } from '../config/environment.ts';
import { COMMANDS } from './commands.ts';
import { type Ended, preparePlatform } from './run-for-tests.ts';
import { findCommand } from './shell/find-command.ts';
import type { Output } from './shell/output.ts';
import { parseArguments } from './shell/parse-arguments.ts';
import { reportFailure } from './shell/report-failure.ts';

export type EndedHere = Ended & { data: unknown };

/** Runs a command in this process, which saves a second; output and exit code are the same. */
export async function runHere(words: string[], environment: Environment): Promise<EndedHere> {
  const said: EndedHere = { code: null, stdout: '', stderr: '', data: undefined };
  const note = (text: string) => {
    said.stderr += `${text}\n`;
  };
  const output: Output = {
    result(data, text) {
      said.data = JSON.parse(JSON.stringify(data));
      said.stdout += `${text}\n`;
    },
    raw: (text) => {
      said.stdout += text;
    },
    note,
    failure: note,
    progress: () => undefined,
    styled: (_style, text) => text,
  };
  const found = findCommand(COMMANDS, words);
  if (found.kind !== 'command') throw new Error(`${words.join(' ')} is not a command`);
  const args = parseArguments(found.command, found.path, found.rest);
  if (args === 'help') throw new Error('no help here');
  try {
    said.code = (await found.command.run({ args, output, environment, table: COMMANDS })) ?? 0;
  } catch (error) {
    said.code = await reportFailure(error, output, environment);
  }
  return said;
}

/** Runs commands against a new platform of the test file. */
export function useOperator() {
  let environment: Environment;
  beforeAll(async () => {
    ({ environment } = await preparePlatform());
  });
  const run = (...words: string[]) => runHere(words, environment);
  return {
    run,
    /** The data of a command that must succeed without a note. */
    // biome-ignore lint/suspicious/noExplicitAny: each command has its own shape
    async dataOf(...words: string[]): Promise<any> {
      const { code, data, stderr } = await run(...words);
      expect([words, code, stderr]).toEqual([words, 0, '']);
      return data;
    },
  };
}
