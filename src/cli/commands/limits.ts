import type { Config } from '../../config/config.ts';
import { clearLimits, type ScopeLimits, type ScopeSelector, setLimits, showLimits } from '../../operator/limits.ts';
import { type Context, type ExitCode, UsageError } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { formatAmount, parseBudget, parseLimit } from '../parse-amount.ts';
import { withPlatform } from '../with-platform.ts';

const HEEDED = 'Running servers heed it within a second.';

export async function showLimitsOf(context: Context): Promise<ExitCode> {
  const words = readScope(context);
  const { limits, defaults } = await withPlatform(context, async (platform, config) => ({
    limits: await showLimits(platform, config, words),
    defaults: defaultsOf(config),
  }));
  const others = isEmpty(words)
    ? defaults.map((row) => [row.scope, '(all others)', '-', ...cellsOf(row), '-', 'file'])
    : [];
  context.output.result({ limits, defaults }, tableOf(limits, others));
  return 0;
}

export async function setLimitsOf(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const words = readNamedScope(context, 'set');
  const requests = args.text('requests-per-second');
  const tokens = args.text('tokens-per-minute');
  const budget = args.text('monthly-budget');
  if (requests === undefined && tokens === undefined && budget === undefined)
    throw new UsageError('Say which limit: --requests-per-second, --tokens-per-minute or --monthly-budget.');
  const change = {
    ...(requests !== undefined && { requests_per_second: parseLimit('requests-per-second', requests) }),
    ...(tokens !== undefined && { tokens_per_minute: parseLimit('tokens-per-minute', tokens) }),
    ...(budget !== undefined && { monthly_budget_micros: parseBudget('monthly-budget', budget) }),
  };
  const { limits, hasPrices } = await withPlatform(context, async (platform, config) => {
    await setLimits(platform, config, words, change);
    return { limits: await showLimits(platform, config, words), hasPrices: hasPrice(config) };
  });
  output.result({ limits }, `${tableOf(limits)}\n\n${HEEDED}`);
  if (typeof change.monthly_budget_micros === 'number' && !hasPrices)
    output.note('note: no configured model has a price, so nothing counts against a budget yet (docs/limits.md).');
  return 0;
}

export async function clearLimitsOf(context: Context): Promise<ExitCode> {
  const words = readNamedScope(context, 'clear');
  const { cleared, limits } = await withPlatform(context, async (platform, config) => ({
    cleared: await clearLimits(platform, config, words),
    limits: await showLimits(platform, config, words),
  }));
  const text = cleared
    ? `The limits of the file hold again. ${HEEDED}`
    : 'There were no limits of its own; those of the file hold.';
  context.output.result({ cleared, limits }, `${tableOf(limits)}\n\n${text}`);
  return 0;
}

function readScope({ args }: Context): ScopeSelector {
  const words = { key: args.text('key'), workspace: args.text('workspace'), organization: args.text('organization') };
  if (words.key !== undefined && words.workspace !== undefined)
    throw new UsageError('Give either --key or --workspace: a key is in one workspace only.');
  return words;
}

function readNamedScope(context: Context, deed: string): ScopeSelector {
  const words = readScope(context);
  if (isEmpty(words))
    throw new UsageError(`Say whose limits to ${deed}: --key, --workspace or --organization, by id or name.`);
  return words;
}

function isEmpty(words: ScopeSelector): boolean {
  return Object.values(words).every((word) => word === undefined);
}

type Rates = Pick<ScopeLimits, 'requests_per_second' | 'tokens_per_minute' | 'monthly_budget'>;

function defaultsOf({ file }: Config): (Rates & Pick<ScopeLimits, 'scope'>)[] {
  return (['organization', 'workspace', 'key'] as const).map((scope) => {
    const { requests_per_second = null, tokens_per_minute = null, monthly_budget = null } = file.limits[scope];
    return { scope, requests_per_second, tokens_per_minute, monthly_budget };
  });
}

function hasPrice({ file }: Config): boolean {
  return file.models.some(({ price }) => price.prompt > 0 || price.completion > 0);
}

function tableOf(limits: ScopeLimits[], others: string[][] = []): string {
  const header = ['SCOPE', 'NAME', 'ID', 'REQUESTS/S', 'TOKENS/MIN', 'MONTHLY BUDGET', 'SPENT', 'FROM'];
  const rows = limits.map((row) => [row.scope, row.name, row.id, ...cellsOf(row), formatAmount(row.spent), row.from]);
  return formatTable(header, [...rows, ...others]);
}

function cellsOf({ requests_per_second, tokens_per_minute, monthly_budget }: Rates): string[] {
  return [
    requests_per_second === null ? 'none' : String(requests_per_second),
    tokens_per_minute === null ? 'none' : String(tokens_per_minute),
    monthly_budget === null ? 'none' : formatAmount(monthly_budget),
  ];
}
