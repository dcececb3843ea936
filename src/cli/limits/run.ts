import type { Config } from '../../config/config.ts';
import { clearLimits, type ScopeLimits, type ScopeSelector, setLimits, showLimits } from '../../operator/limits.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatAmount, formatTable } from '../shell/format-table.ts';
import { withPlatform } from '../shell/with-platform.ts';

const MEBIBYTE = 1024 * 1024;
const APPLIED = 'Running servers apply the change within a second.';

export async function showLimitsOf(context: Context): Promise<undefined> {
  const words = parseScope(context);
  const { limits, defaults } = await withPlatform(context, async (platform, config) => ({
    limits: await showLimits(platform, config, words),
    defaults: defaultsOf(config),
  }));
  const others = isEmpty(words)
    ? defaults.map((row) => [row.scope, '(all others)', '-', ...cellsOf(row), '-', 'file'])
    : [];
  context.output.result({ limits, defaults }, tableOf(limits, others));
}

export async function setLimitsOf(context: Context): Promise<undefined> {
  const { args, output } = context;
  const words = parseNamedScope(context, 'set');
  const requests = args.text('requests-per-second');
  const tokens = args.text('tokens-per-minute');
  const budget = args.text('monthly-budget');
  const storage = args.text('storage-mib');
  if ([requests, tokens, budget, storage].every((given) => given === undefined))
    throw new UsageError(
      'Give a limit: --requests-per-second, --tokens-per-minute, --monthly-budget or --storage-mib.',
    );
  if (storage !== undefined && words.key !== undefined)
    throw new UsageError('Storage is limited for workspaces and organizations: give --workspace or --organization.');
  const change = {
    ...(requests !== undefined && { requests_per_second: parseLimit('requests-per-second', requests) }),
    ...(tokens !== undefined && { tokens_per_minute: parseLimit('tokens-per-minute', tokens) }),
    ...(budget !== undefined && { monthly_budget_micros: parseBudget('monthly-budget', budget) }),
    ...(storage !== undefined && { storage_bytes: parseStorage(storage) }),
  };
  const { limits, hasPrices } = await withPlatform(context, async (platform, config) => {
    await setLimits(platform, config, words, change);
    return { limits: await showLimits(platform, config, words), hasPrices: hasPrice(config) };
  });
  output.result({ limits }, `${tableOf(limits)}\n\n${APPLIED}`);
  if (typeof change.monthly_budget_micros === 'number' && !hasPrices)
    output.note('note: no configured model has a price, so nothing counts towards a budget yet (docs/limits.md).');
}

export async function clearLimitsOf(context: Context): Promise<undefined> {
  const words = parseNamedScope(context, 'clear');
  const { cleared, limits } = await withPlatform(context, async (platform, config) => ({
    cleared: await clearLimits(platform, config, words),
    limits: await showLimits(platform, config, words),
  }));
  const text = cleared
    ? `The defaults of the configuration file apply again. ${APPLIED}`
    : 'No limits were set; the defaults of the configuration file apply.';
  context.output.result({ cleared, limits }, `${tableOf(limits)}\n\n${text}`);
}

function parseScope({ args }: Context): ScopeSelector {
  const words = { key: args.text('key'), workspace: args.text('workspace'), organization: args.text('organization') };
  if (words.key !== undefined && words.workspace !== undefined)
    throw new UsageError('Give either --key or --workspace: a key belongs to one workspace.');
  return words;
}

function parseNamedScope(context: Context, action: string): ScopeSelector {
  const words = parseScope(context);
  if (isEmpty(words))
    throw new UsageError(
      `Choose the scope to ${action} limits for: --key, --workspace or --organization, by id or name.`,
    );
  return words;
}

function isEmpty(words: ScopeSelector): boolean {
  return Object.values(words).every((word) => word === undefined);
}

type Rates = Pick<ScopeLimits, 'requests_per_second' | 'tokens_per_minute' | 'monthly_budget' | 'storage_bytes'>;

function defaultsOf({ file }: Config): (Rates & Pick<ScopeLimits, 'scope'>)[] {
  return (['organization', 'workspace', 'key'] as const).map((scope) => {
    const { requests_per_second = null, tokens_per_minute = null, monthly_budget = null } = file.limits[scope];
    const { storage_mib } = { storage_mib: undefined, ...file.limits[scope] };
    const storage_bytes = storage_mib === undefined ? null : storage_mib * MEBIBYTE;
    return { scope, requests_per_second, tokens_per_minute, monthly_budget, storage_bytes };
  });
}

function hasPrice({ file }: Config): boolean {
  return file.models.some(({ price }) => price.prompt > 0 || price.completion > 0);
}

function tableOf(limits: ScopeLimits[], others: string[][] = []): string {
  const header = [
    'SCOPE',
    'NAME',
    'ID',
    'REQUESTS/S',
    'TOKENS/MIN',
    'STORAGE',
    'STORED',
    'MONTHLY BUDGET',
    'SPENT',
    'FROM',
  ];
  const rows = limits.map((row) => {
    const { scope, name, id, stored_bytes, spent, from } = row;
    return [scope, name, id, ...cellsOf(row, stored_bytes), formatAmount(spent), from];
  });
  return formatTable(header, [...rows, ...others]);
}

function cellsOf(
  { requests_per_second, tokens_per_minute, monthly_budget, storage_bytes }: Rates,
  storedBytes: number | null = null,
): string[] {
  return [
    requests_per_second === null ? 'none' : String(requests_per_second),
    tokens_per_minute === null ? 'none' : String(tokens_per_minute),
    storage_bytes === null ? 'none' : formatMib(storage_bytes),
    storedBytes === null ? '-' : formatMib(storedBytes),
    monthly_budget === null ? 'none' : formatAmount(monthly_budget),
  ];
}

function formatMib(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

function parseStorage(text: string): number | null {
  const mebibytes = parseLimit('storage-mib', text);
  return mebibytes === null ? null : mebibytes * MEBIBYTE;
}

/** A whole number, or null for `none`. */
export function parseLimit(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number, or none for no limit, not '${text}'.`);
}

/** An amount in millionths, or null for `none`. Parsed by digits, because floats are inexact. */
export function parseBudget(option: string, text: string): number | null {
  if (text === 'none') return null;
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole !== undefined) return Number(whole + fraction.padEnd(6, '0'));
  throw new UsageError(
    `--${option} must be an amount such as 50 or 0.25, with up to six decimals, or none for no limit, not '${text}'.`,
  );
}
