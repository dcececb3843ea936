import type { Command, CommandGroup, CommandTable, Option, Parameter } from './command.ts';
import type { Output } from './output.ts';
import { optionsOf } from './shared-options.ts';

type Styled = Output['styled'];

export function programHelp(table: CommandTable, styled: Styled): string {
  const rows = table.flatMap((entry) =>
    'commands' in entry
      ? entry.commands.map(({ name, summary }) => [`${entry.name} ${name}`, summary] as const)
      : [[entry.name, entry.summary] as const],
  );
  return [
    'Tramontane: an open, self-hosted AI platform.',
    '',
    styled('bold', 'Usage'),
    '  tramontane <command> [options]',
    '',
    styled('bold', 'Commands'),
    ...columns(rows),
    '',
    'Every command has --help and --json, for example: npx tramontane start --help',
  ].join('\n');
}

export function groupHelp(group: CommandGroup, styled: Styled): string {
  return [
    `tramontane ${group.name}: ${group.summary}.`,
    '',
    styled('bold', 'Commands'),
    ...columns(group.commands.map((command) => [usage(command, `${group.name} ${command.name}`), command.summary])),
  ].join('\n');
}

export function commandHelp(command: Command, path: string, styled: Styled): string {
  const parameters = (command.parameters ?? []).map(
    (parameter) => [placeholderOf(parameter), parameter.summary] as const,
  );
  const options = Object.entries(optionsOf(command));
  const rows = [
    ...parameters,
    ...options.map(([name, option]) => [optionUsage(name, option), option.summary] as const),
  ];
  return [
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    '',
    styled('bold', 'Usage'),
    `  tramontane ${usage(command, path)} [options]`,
    '',
    styled('bold', 'Options'),
    ...columns(rows),
    '',
    styled('bold', 'Examples'),
    ...command.examples.map((example) => `  npx tramontane ${example}`),
  ].join('\n');
}

function usage(command: Command, path: string): string {
  return [path, ...(command.parameters ?? []).map(placeholderOf)].join(' ');
}

function placeholderOf({ name, optional }: Parameter): string {
  return optional ? `[<${name}>]` : `<${name}>`;
}

function optionUsage(name: string, { value, short }: Option): string {
  const words = value ? `--${name} ${value}` : `--${name}`;
  return short ? `-${short}, ${words}` : words;
}

function columns(rows: (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
