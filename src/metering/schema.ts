import { z } from 'zod';
import type { Scope } from '../tenants/index.ts';

/** Stored as free text, so a new kind needs no migration. */
export const usageKinds = [
  'chat',
  'fim',
  'embeddings',
  'moderation',
  'classification',
  'speech',
  'transcription',
  'ocr',
  'reranking',
  'connector',
] as const;
export type UsageKind = (typeof usageKinds)[number];

/** Who is charged: the scope of a key or session, or of the user that a worker acts for. */
export type Payer = Pick<Scope, 'organization_id' | 'workspace_id' | 'key_id' | 'user_id' | 'isBackground'>;

/** What an engine counted. The prompt counts once, however many completions it has. */
export type TokenUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
};

export type Usage = {
  scope: Payer;
  model: string;
  kind: UsageKind;
  promptTokens: number;
  completionTokens: number;
  /** Prompt tokens taken from a cache. */
  cachedTokens?: number;
  /** Millionths of the currency; by default computed from the model's price. */
  costMicros?: number;
  /** The HTTP status of the response. */
  status: number;
  latencyMs: number;
  requestId: string;
};

/** Currency units per million tokens, as in the configuration. */
export type Price = { prompt: number; completion: number };
export type Prices = (model: string) => Price | undefined;

/** What a model takes in a minute from all callers together; null is unlimited. */
export type ModelLimits = { requestsPerMinute: number | null; tokensPerMinute: number | null };

/** `hour` and `user_id` are read from the single records, which are kept for 90 days. */
export const usageDimensions = ['hour', 'day', 'month', 'model', 'kind', 'workspace_id', 'key_id', 'user_id'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Days as `YYYY-MM-DD` in UTC, both inclusive. */
export type UsageQuery = {
  from: string;
  to: string;
  groupBy: readonly UsageDimension[];
  /** Filters by these values. */
  only?: Partial<Record<'workspace_id' | 'key_id' | 'model', string>>;
};

export type UsageTotals = {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cost_micros: number;
};
/** The usage of one combination of the requested dimensions. */
export type UsageRow = UsageTotals & Partial<Record<UsageDimension, string>>;

export const limitScopeKinds = ['key', 'workspace', 'organization'] as const;
export type LimitScopeKind = (typeof limitScopeKinds)[number];
export type LimitScope = { kind: LimitScopeKind; id: string };

/** `null` is unlimited. */
export type Limits = {
  requests_per_second: number | null;
  tokens_per_minute: number | null;
  monthly_budget_micros: number | null;
  /** Of a workspace or an organization. */
  storage_bytes: number | null;
};
/** Limits set for the scope itself. */
export type OwnLimits = LimitScope & Limits;
/** A monthly budget of a scope. */
export type Budget = LimitScope & { micros: number };

export type LimitDefaults = Partial<Record<LimitScopeKind, Partial<Limits>>>;

export const NO_LIMITS: Limits = {
  requests_per_second: null,
  tokens_per_minute: null,
  monthly_budget_micros: null,
  storage_bytes: null,
};

/** The payer's id for this kind of limit; empty if it has none, like the workspace of an admin key. */
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

const tokens = z.int().meta({ default: 0 });

// Has fields beyond the published schema: the live API sends them, and both SDKs accept them.
export const UsageInfo = z
  .strictObject({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_audio_seconds: z.int().nullable().optional(),
    service_tier: z.string().nullable().optional(),
    prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }).optional(),
    completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }).optional(),
    num_cached_tokens: z.int().optional(),
  })
  .meta({ id: 'UsageInfo' });
export type UsageInfo = z.infer<typeof UsageInfo>;
