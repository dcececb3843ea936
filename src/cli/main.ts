import { type Environment, processEnvironment } from '../config/environment.ts';
import { COMMANDS } from './commands.ts';
import { type ExitCode, UsageError } from './shell/command.ts';
import { findCommand } from './shell/find-command.ts';
import { commandHelp, groupHelp, programHelp } from './shell/help.ts';
import { createOutput, type Output, type Streams } from './shell/output.ts';
import { parseArguments } from './shell/parse-arguments.ts';

/** Called by bin/tramontane.js. Sets the exit code and never throws. */
export async function main(argv: string[]): Promise<void> {
  process.exitCode = await runProgram(argv, processEnvironment(), process);
}

/** The whole program with the given environment and streams. */
export async function runProgram(argv: string[], environment: Environment, streams: Streams): Promise<ExitCode> {
  // Not spread: that would call every getter of process, such as stdin.
  const { stdout, stderr } = streams;
  const output = createOutput({ json: argv.includes('--json'), environment, stdout, stderr });
  try {
    return await dispatch(argv, output, environment);
  } catch (error) {
    return (await import('./shell/report-failure.ts')).reportFailure(error, output, environment);
  }
}

async function dispatch(argv: string[], output: Output, environment: Environment): Promise<ExitCode> {
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
  return (await found.command.run({ args, output, environment, table: COMMANDS })) ?? 0;
}

function help(text: string, output: Output): ExitCode {
  output.raw(`${text}\n`);
  return 0;
}
