import type { CommandTable } from '../shell/command.ts';
import { optionsOf } from '../shell/shared-options.ts';

export type Suggestion = { word: string; summary: string; takesValue?: boolean; choices?: readonly string[] };

/** The words and options that may follow a command path. */
export type Completion = { path: string[]; words: Suggestion[]; options: Suggestion[] };

/** One entry for the program, each group and each command. */
export function listCompletions(table: CommandTable): Completion[] {
  const help = { word: '--help', summary: 'show help' };
  const completions: Completion[] = [
    { path: [], words: table.map(toWord), options: [help, { word: '--version', summary: 'print the version' }] },
  ];
  for (const entry of table) {
    const { name, commands } = 'commands' in entry ? entry : { name: undefined, commands: [entry] };
    if (name !== undefined) completions.push({ path: [name], words: commands.map(toWord), options: [help] });
    for (const command of commands) {
      const choices = (command.parameters ?? []).flatMap((parameter) => parameter.choices ?? []);
      const options = Object.entries(optionsOf(command)).map(([option, { summary, value, choices }]) => ({
        word: `--${option}`,
        summary,
        takesValue: value !== undefined,
        ...(choices && { choices }),
      }));
      const path = name === undefined ? [command.name] : [name, command.name];
      completions.push({ path, words: choices.map((word) => ({ word, summary: '' })), options });
    }
  }
  return completions;
}

function toWord({ name, summary }: { name: string; summary: string }): Suggestion {
  return { word: name, summary };
}

/** Quoted command paths, and command paths followed by an option that takes a value, for a shell's `case`. */
export function listCasePatterns(completions: Completion[]): { paths: string; valueOptions: string } {
  const paths = completions.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  const valueOptions = completions.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ word }) => `"${path.join(' ')} ${word}"`),
  );
  return { paths: paths.join(' | '), valueOptions: valueOptions.join(' | ') };
}
