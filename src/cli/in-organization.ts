import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { type Caller, OPERATOR } from '../tenants/index.ts';
import { type Context, UsageError } from './command.ts';
import { withPlatform } from './with-platform.ts';

/** The operator's way in, to the organization that is meant. */
export function inOrganization<T>(
  context: Context,
  work: (platform: Platform, by: Caller, config: Config) => Promise<T>,
): Promise<T> {
  return withPlatform(context, async (platform, config) => {
    const { id } = await platform.tenants.chooseOrganization(context.args.text('organization'));
    return work(platform, { organization_id: id, actor: OPERATOR }, config);
  });
}

export function readPage({ args }: Context): { offset: number; limit: number } {
  const limit = readCount('--page-size', args.text('page-size') ?? '25', 1000);
  return { offset: (readCount('--page', args.text('page') ?? '1', 1_000_000) - 1) * limit, limit };
}

export function readCount(name: string, text: string, most: number): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > most)
    throw new UsageError(`${name} must be a whole number from 1 to ${most}, not '${text}'.`);
  return count;
}

/** Each of a list with commas between, if it is one of those that are known. */
export function readWords<T extends string>(what: string, text: string, known: readonly T[]): T[] {
  return splitWords(text).map((word) => {
    const found = known.find((candidate) => candidate === word);
    if (!found) throw new UsageError(`'${word}' is no ${what}. There is: ${known.join(', ')}.`);
    return found;
  });
}

export function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}
