import { processEnvironment } from '../config/environment.ts';
import { type ExitCode, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { findCommand } from './find-command.ts';
import { commandHelp, groupHelp, programHelp } from './help.ts';
import { createOutput, type Output } from './output.ts';
import { parseArguments } from './parse-arguments.ts';
import { reportFailure } from './report-failure.ts';

/** What bin/tramontane.js calls. Sets the exit code and never throws. */
export async function main(argv: string[]): Promise<void> {
  const environment = processEnvironment();
  const output = createOutput({ json: argv.includes('--json'), environment });
  try {
    process.exitCode = await dispatch(argv, output, environment);
  } catch (error) {
    process.exitCode = await reportFailure(error, output, environment);
  }
}

async function dispatch(
  argv: string[],
  output: Output,
  environment: ReturnType<typeof processEnvironment>,
): Promise<ExitCode> {
  const found = findCommand(COMMANDS, argv);
  if (found.kind === 'version') return dispatch(['version', ...found.rest], output, environment);
  if (found.kind === 'program') return help(programHelp(COMMANDS, output.styled), output);
  if (found.kind === 'group') {
    const { group, wantsHelp } = found;
    if (wantsHelp) return help(groupHelp(group, output.styled), output);
    const names = group.commands.map(({ name }) => name).join(', ');
    throw new UsageError(`tramontane ${group.name} needs one of ${names}. See: tramontane ${group.name} --help`);
  }
  const args = parseArguments(found.command, found.path, found.rest);
  if (args === 'help') return help(commandHelp(found.command, found.path, output.styled), output);
  return found.command.run({ args, output, environment, table: COMMANDS });
}

function help(text: string, output: Output): ExitCode {
  output.raw(`${text}\n`);
  return 0;
}
