import type { Scope } from '../tenants/index.ts';

/** What a request was for. Free text in the table, so a new kind needs no migration. */
export const usageKinds = [
  'chat',
  'fim',
  'embeddings',
  'moderation',
  'classification',
  'speech',
  'transcription',
  'ocr',
  'connector',
] as const;
export type UsageKind = (typeof usageKinds)[number];

/** Who is charged. A key's scope is one; a worker that acts for somebody fills in what it knows. */
export type Payer = Pick<Scope, 'organization_id' | 'workspace_id' | 'key_id' | 'user_id' | 'isBackground'>;

export type Usage = {
  scope: Payer;
  model: string;
  kind: UsageKind;
  promptTokens: number;
  completionTokens: number;
  /** Part of the prompt that was not computed again. */
  cachedTokens?: number;
  /** Millionths of the currency; left out, it is computed from the model's price. */
  costMicros?: number;
  /** The HTTP status of the answer. */
  status: number;
  latencyMs: number;
  requestId: string;
};

/** In units of the currency per million tokens, as in the configuration. */
export type Price = { prompt: number; completion: number };
export type Prices = (model: string) => Price | undefined;

export const usageDimensions = ['day', 'month', 'model', 'kind', 'workspace_id', 'key_id'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Days as `YYYY-MM-DD` in UTC, both included. */
export type UsageQuery = {
  from: string;
  to: string;
  groupBy: readonly UsageDimension[];
  /** Only what has these values. */
  only?: Partial<Record<'workspace_id' | 'key_id' | 'model', string>>;
};

export type UsageTotals = {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cost_micros: number;
};
/** The dimensions that were asked for, and what was used in each combination of them. */
export type UsageRow = UsageTotals & Partial<Record<UsageDimension, string>>;

export const limitScopeKinds = ['key', 'workspace', 'organization'] as const;
export type LimitScopeKind = (typeof limitScopeKinds)[number];
export type LimitScope = { kind: LimitScopeKind; id: string };

/** `null` is unlimited. */
export type Limits = {
  requests_per_second: number | null;
  tokens_per_minute: number | null;
  monthly_budget_micros: number | null;
};
/** The limits that a scope has of its own. */
export type OwnLimits = LimitScope & Limits;
export type LimitDefaults = Partial<Record<LimitScopeKind, Partial<Limits>>>;

export const NO_LIMITS: Limits = { requests_per_second: null, tokens_per_minute: null, monthly_budget_micros: null };

/** The id that a kind of limit has for this payer; empty where there is none, as the workspace of an admin key. */
export function limitScopeId(payer: Payer, kind: LimitScopeKind): string {
  switch (kind) {
    case 'key':
      return payer.key_id;
    case 'workspace':
      return payer.workspace_id;
    case 'organization':
      return payer.organization_id;
  }
}
