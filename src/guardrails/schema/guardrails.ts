import { z } from 'zod';

const threshold = z.number().nullable().optional();

const shared = {
  sexual: threshold,
  hate_and_discrimination: threshold,
  violence_and_threats: threshold,
  selfharm: threshold,
  health: threshold,
  financial: threshold,
  law: threshold,
  pii: threshold,
};

const ModerationLLMV1CategoryThresholds = z
  .strictObject({ ...shared, dangerous_and_criminal_content: threshold })
  .meta({ id: 'ModerationLLMV1CategoryThresholds' });

const ModerationLLMV2CategoryThresholds = z
  .strictObject({ ...shared, dangerous: threshold, criminal: threshold, jailbreaking: threshold })
  .meta({ id: 'ModerationLLMV2CategoryThresholds' });

const ModerationLLMAction = z.enum(['none', 'block']).meta({ id: 'ModerationLLMAction' });

const ModerationLLMV1Config = z
  .strictObject({
    model_name: z.string().max(256).default('mistral-moderation-2411'),
    custom_category_thresholds: ModerationLLMV1CategoryThresholds.nullable().optional(),
    ignore_other_categories: z.boolean().default(false),
    action: ModerationLLMAction.default('none'),
  })
  .meta({ id: 'ModerationLLMV1Config' });

const ModerationLLMV2Config = z
  .strictObject({
    model_name: z.string().max(256).default('mistral-moderation-2603'),
    custom_category_thresholds: ModerationLLMV2CategoryThresholds.nullable().optional(),
    ignore_other_categories: z.boolean().default(false),
    action: ModerationLLMAction.default('none'),
  })
  .meta({ id: 'ModerationLLMV2Config' });

export const GuardrailConfig = z
  .strictObject({
    block_on_error: z.boolean().default(false),
    moderation_llm_v1: ModerationLLMV1Config.nullable().optional(),
    moderation_llm_v2: ModerationLLMV2Config.nullable().optional(),
  })
  .meta({ id: 'GuardrailConfig' });
export type GuardrailConfig = z.infer<typeof GuardrailConfig>;

const CategoryVerdict = z.object({ score: z.number(), violated: z.boolean() });

const GuardrailVerdict = z.object({
  /** `pass` where a violation would have blocked, else `none`. */
  action: z.enum(['none', 'pass']),
  categories: z.record(z.string(), CategoryVerdict).optional(),
  /** Instead of the categories, when the check failed without blocking. */
  error: z.object({ message: z.string() }).optional(),
});

/** The result of one guardrail of a request that was not blocked. */
export const GuardrailResult = z
  .object({ moderation_llm_v1: GuardrailVerdict.optional(), moderation_llm_v2: GuardrailVerdict.optional() })
  .meta({ id: 'GuardrailResult' });
export type GuardrailResult = z.infer<typeof GuardrailResult>;

const GuardrailBlock = z
  .object({
    error: z.object({ message: z.string(), status: z.literal(403) }),
    guardrails: z.object({ results: z.record(z.string(), z.unknown()) }),
  })
  .meta({ id: 'GuardrailBlock' });

const GuardrailFailure = z
  .object({
    object: z.literal('Error'),
    message: z.string(),
    type: z.string(),
    code: z.int(),
    guardrails: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'GuardrailFailure' });

/** The bodies of a 403: for a blocked input, and for one that could not be checked. */
export const GuardrailRefusal = z.union([GuardrailBlock, GuardrailFailure]).meta({ id: 'GuardrailRefusal' });
