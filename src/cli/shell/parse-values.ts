import { type Arguments, type Context, UsageError } from './command.ts';

export function parsePage({ args }: Context): { offset: number; limit: number } {
  const limit = parseCount('--page-size', args.text('page-size') ?? '25', 1000);
  return { offset: (parseCount('--page', args.text('page') ?? '1', 1_000_000) - 1) * limit, limit };
}

export function parseCount(name: string, text: string, max: number, min = 1): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < min || count > max)
    throw new UsageError(`${name} must be a whole number from ${min} to ${max}, not '${text}'.`);
  return count;
}

/** A comma-separated list of known words, without duplicates. */
export function parseChoices<T extends string>(what: string, text: string, choices: readonly T[]): T[] {
  const found = splitList(text).map((word) => {
    const choice = choices.find((candidate) => candidate === word);
    if (!choice) throw new UsageError(`'${word}' is not a valid ${what}. Choose from: ${choices.join(', ')}.`);
    return choice;
  });
  return [...new Set(found)];
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}

/** The given options as arguments for another command. */
export function forwardOptions(args: Arguments, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

// Formatted again after parsing, because Date turns 31 February into a day of March.
export function isDay(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
