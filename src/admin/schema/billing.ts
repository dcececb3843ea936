import { z } from 'zod';
import { Id } from './page.ts';

/** In currency units; its millionths must be a safe integer. */
const AMOUNT_MAX = 1_000_000_000;

const TokenLimitsByModel = z
  .object({ tokens_per_minute: z.int(), tokens_per_month: z.int() })
  .meta({ id: 'TokenLimitsByModel' });
export const RateLimitsOUT = z
  .object({ requests_per_second: z.int(), tokens_limits_by_model: z.record(z.string(), TokenLimitsByModel) })
  .meta({ id: 'RateLimitsOUT' });
export type RateLimitsOUT = z.infer<typeof RateLimitsOUT>;

export const NewUsageLimitIN = z
  .strictObject({ amount: z.int().min(0).max(AMOUNT_MAX), no_monthly_limit: z.boolean().default(false) })
  .meta({ id: 'NewUsageLimitIN' });
export type NewUsageLimitIN = z.infer<typeof NewUsageLimitIN>;

const UsageLimits = z
  .object({
    no_monthly_limit: z.boolean().default(false),
    monthly_limit_reached: z.boolean(),
    usage: z.number().nullish(),
    vibe_usage: z.number().nullish(),
    total_usage: z.number().nullish(),
    usage_limit: z.number().nullish(),
  })
  .meta({ id: 'UsageLimits' });
const LimitsContext = z
  .object({
    completion: UsageLimits,
    last_payment_failure: z.boolean(),
    last_payment_failure_protection: z.boolean().nullable(),
    currency: z.string(),
  })
  .meta({ id: 'LimitsContext' });
export const LimitsOUT = z.object({ limits: LimitsContext }).meta({ id: 'LimitsOUT' });
export type LimitsOUT = z.infer<typeof LimitsOUT>;

const ApiZone = z.enum(['global', 'us', 'eu']).meta({ id: 'ApiZone' });
export const UsageQuery = z.strictObject({
  month: z
    .string()
    .regex(/^(0?[1-9]|1[0-2])$/)
    .nullish(),
  year: z
    .string()
    .regex(/^20\d\d$/)
    .nullish(),
  workspace_id: Id.nullish(),
  api_zone: ApiZone.nullish(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const ServiceTier = z.enum(['standard', 'priority']).meta({ id: 'ServiceTier' });
const Metric = z
  .enum([
    'api_tokens',
    'api_pages',
    'api_audio_seconds',
    'api_audio_characters',
    'api_connectors',
    'api_libraries_tokens',
    'api_libraries_pages',
    'api_libraries_audio',
    'deployment_tokens',
    'gpu_hour',
    'reserved_instance',
    'vibe_tokens',
    'vibe_connectors',
    'vibe_pages',
    'vibe_audio_seconds',
    'vibe_audio_characters',
  ])
  .meta({ id: 'LagoEventType' });
const PriceData = z
  .object({
    event_type: Metric.nullable(),
    billing_metric: z.string(),
    billing_group: z.string(),
    api_zone: ApiZone,
    service_tier: ServiceTier,
    price: z.union([z.number(), z.string()]),
  })
  .meta({ id: 'PriceData' });

const Rows = z.record(z.string(), z.record(z.string(), z.array(z.record(z.string(), z.unknown()))));
const ByModel = z.object({ models: Rows }).meta({ id: 'BasicModelUsageDataJSON' });
export type ByModel = z.infer<typeof ByModel>;
const Libraries = z
  .object({ pages: ByModel, tokens: ByModel, audio_seconds: ByModel })
  .meta({ id: 'LibrariesAPIUsageDataJSON' });
const FineTuning = z
  .object({ training: Rows, storage: z.record(z.string(), z.int()) })
  .meta({ id: 'FineTuningDataJSON' });
const VibeCode = z
  .object({ completion: ByModel, ocr: ByModel, connectors: ByModel, audio: ByModel, audio_characters: ByModel })
  .meta({ id: 'VibeCodeUsageDataJSON' });

export const UsageOUTJSON = z
  .object({
    completion: ByModel,
    ocr: ByModel,
    connectors: ByModel,
    libraries_api: Libraries,
    fine_tuning: FineTuning,
    audio: ByModel,
    audio_characters: ByModel,
    vibe_usage: z.number(),
    vibe_code: VibeCode,
    chat: ByModel,
    date: z.iso.datetime(),
    previous_month: z.string().nullable(),
    next_month: z.string().nullable(),
    start_date: z.iso.datetime(),
    end_date: z.iso.datetime(),
    currency: z.string().nullable(),
    currency_symbol: z.string().nullable(),
    prices: z.array(PriceData).nullable(),
  })
  .meta({ id: 'UsageOUTJSON' });
export type UsageOUTJSON = z.infer<typeof UsageOUTJSON>;
