import type { Environment } from '../config/environment.ts';
import { COMMANDS } from './commands.ts';
import { findCommand } from './shell/find-command.ts';
import type { Output } from './shell/output.ts';
import { parseArguments } from './shell/parse-arguments.ts';
import { reportFailure } from './shell/report-failure.ts';
import type { Ended } from './run-for-tests.ts';

export type EndedHere = Ended & { data: unknown };

/** A command in this process: what it says and how it ends are the same, and a second sooner than in one of its own. */
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
  if (found.kind !== 'command') throw new Error(`${words.join(' ')} is no command`);
  const args = parseArguments(found.command, found.path, found.rest);
  if (args === 'help') throw new Error('no help here');
  try {
    said.code = await found.command.run({ args, output, environment, table: COMMANDS });
  } catch (error) {
    said.code = await reportFailure(error, output, environment);
  }
  return said;
}
