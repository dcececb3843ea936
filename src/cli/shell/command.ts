import type { Environment } from '../../config/environment.ts';
import type { Output } from './output.ts';

/** 0: success, 1: failure, 2: wrong usage or configuration. */
export type ExitCode = 0 | 1 | 2;

/** A flag, unless `value` names the value it takes. `short` is one letter. */
export type Option = { summary: string; value?: string; choices?: readonly string[]; short?: string };

export type Parameter = {
  name: string;
  summary: string;
  choices?: readonly string[];
  optional?: true;
  /** Takes all that follow; only the last may. */
  isRepeated?: true;
};

/** Throws for a name that the command does not declare. */
export type Arguments = {
  flag(option: string): boolean;
  text(option: string): string | undefined;
  parameter(name: string): string;
  optionalParameter(name: string): string | undefined;
  /** All values of one that is repeated. */
  parameters(name: string): string[];
};

export type Context = { args: Arguments; output: Output; environment: Environment; table: CommandTable };

/** A command's declaration; `run` imports its module when it is called. */
export type Command = {
  name: string;
  summary: string;
  /** Only the last may be optional. */
  parameters?: readonly Parameter[];
  options?: Readonly<Record<string, Option>>;
  examples: readonly string[];
  /** Success if it returns no exit code. */
  run(context: Context): Promise<ExitCode | undefined>;
};

/** `byDefault` is the command that the group's name alone runs. */
export type CommandGroup = { name: string; summary: string; commands: readonly Command[]; byDefault?: string };

export type CommandTable = readonly (Command | CommandGroup)[];

/** The command line is wrong; the message says how to correct it. */
export class UsageError extends Error {}
