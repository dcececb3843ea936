import type { Environment } from '../../config/environment.ts';
import type { Output } from './output.ts';

/** 0 done, 1 it failed, 2 it was asked wrongly or the configuration is wrong. */
export type ExitCode = 0 | 1 | 2;

/** Takes a value if `value` names one, else it is a flag. `short` is one letter. */
export type Option = { summary: string; value?: string; choices?: readonly string[]; short?: string };

export type Parameter = { name: string; summary: string; choices?: readonly string[]; optional?: true };

/** Asking for a name that the table does not have is a mistake in the command, so it throws. */
export type Arguments = {
  flag(option: string): boolean;
  text(option: string): string | undefined;
  parameter(name: string): string;
  optionalParameter(name: string): string | undefined;
};

export type Context = { args: Arguments; output: Output; environment: Environment; table: CommandTable };

/** One line of the table from which dispatch, help and completion are made. */
export type Command = {
  name: string;
  summary: string;
  /** In this order; only the last may be optional. */
  parameters?: readonly Parameter[];
  options?: Readonly<Record<string, Option>>;
  examples: readonly string[];
  run(context: Context): Promise<ExitCode>;
};

export type CommandGroup = { name: string; summary: string; commands: readonly Command[] };

export type CommandTable = readonly (Command | CommandGroup)[];

/** The command line is wrong; the message says what to write instead. */
export class UsageError extends Error {}
