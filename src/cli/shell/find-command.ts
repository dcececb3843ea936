import { nearest } from '../../config/nearest.ts';
import { type Command, type CommandGroup, type CommandTable, UsageError } from './command.ts';

export type Found =
  | { kind: 'command'; command: Command; path: string; rest: string[] }
  | { kind: 'group'; group: CommandGroup; wantsHelp: boolean }
  | { kind: 'program' }
  | { kind: 'version'; rest: string[] };

const HELP = ['--help', '-h', 'help'];
const VERSION = ['--version', '-v'];

/** Finds the command that the arguments name; `rest` are its own arguments. */
export function findCommand(table: CommandTable, argv: string[]): Found {
  const [first, ...rest] = argv;
  // `tramontane help keys create` equals `tramontane keys create --help`.
  if (first === 'help' && rest.length > 0) return findCommand(table, [...rest, '--help']);
  if (first === undefined || HELP.includes(first)) return { kind: 'program' };
  if (VERSION.includes(first)) return { kind: 'version', rest };
  if (first.startsWith('-')) throw new UsageError(`Put the command before ${first}. See: tramontane --help`);
  const entry = pick(table, first, 'tramontane');
  if (!('commands' in entry)) return { kind: 'command', command: entry, path: entry.name, rest };
  const [second, ...others] = rest;
  if (second !== undefined && HELP.includes(second)) return { kind: 'group', group: entry, wantsHelp: true };
  // `tramontane gpu --json` equals `tramontane gpu status --json`.
  const isBare = second === undefined || second.startsWith('-');
  if (isBare && entry.byDefault !== undefined) return findCommand(table, [entry.name, entry.byDefault, ...rest]);
  if (second === undefined) return { kind: 'group', group: entry, wantsHelp: false };
  const command = pick(entry.commands, second, `tramontane ${entry.name}`);
  return { kind: 'command', command, path: `${entry.name} ${command.name}`, rest: others };
}

function pick<T extends { name: string }>(entries: readonly T[], word: string, before: string): T {
  const found = entries.find(({ name }) => name === word);
  if (found) return found;
  const names = entries.map(({ name }) => name);
  const suggestion = nearest(word, names);
  const hint = suggestion ? `Did you mean '${before} ${suggestion}'?` : `Commands: ${names.join(', ')}.`;
  throw new UsageError(`'${before} ${word}' is not a command. ${hint}`);
}
