import type { CommandTable } from '../shell/command.ts';
import { optionsOf } from '../shell/parse-arguments.ts';

export type Suggestion = { word: string; summary: string; takesValue?: boolean; choices?: readonly string[] };

/** What may follow which command words. */
export type Place = { path: string[]; words: Suggestion[]; options: Suggestion[] };

/** The command table as a shell sees it: one place for the program, each group and each command. */
export function completionPlaces(table: CommandTable): Place[] {
  const help = { word: '--help', summary: 'show help' };
  const places: Place[] = [
    { path: [], words: table.map(toWord), options: [help, { word: '--version', summary: 'print the version' }] },
  ];
  for (const entry of table) {
    if ('commands' in entry) places.push({ path: [entry.name], words: entry.commands.map(toWord), options: [help] });
    for (const command of 'commands' in entry ? entry.commands : [entry]) {
      const path = 'commands' in entry ? [entry.name, command.name] : [command.name];
      const choices = (command.parameters ?? []).flatMap((parameter) => parameter.choices ?? []);
      const options = Object.entries(optionsOf(command)).map(([name, { summary, value, choices }]) => ({
        word: `--${name}`,
        summary,
        takesValue: value !== undefined,
        ...(choices && { choices }),
      }));
      places.push({ path, words: choices.map((word) => ({ word, summary: '' })), options });
    }
  }
  return places;
}

function toWord({ name, summary }: { name: string; summary: string }): Suggestion {
  return { word: name, summary };
}
