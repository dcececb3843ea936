import { z } from 'zod';

const RETENTION_DAYS_MAX = 3650;

export const ContentSettingsRequest = z
  .strictObject({
    enabled: z.boolean().describe('Whether the inputs and outputs of requests are kept'),
    sample_rate: z.number().min(0).max(1).default(1).describe('The share of requests that is kept'),
    retention_days: z
      .int()
      .min(1)
      .max(RETENTION_DAYS_MAX)
      .nullable()
      .optional()
      .describe('For how long; at most, and by default, as long as the operator keeps contents'),
  })
  .meta({ id: 'ContentSettingsRequest' });
export type ContentSettingsRequest = z.output<typeof ContentSettingsRequest>;

export const ContentsQuery = z.strictObject({
  user_id: z.guid().optional().describe('Only what was said by this user'),
});
export type ContentsQuery = z.output<typeof ContentsQuery>;

export const ContentSettings = z
  .object({
    object: z.literal('content_settings'),
    enabled: z.boolean(),
    sample_rate: z.number(),
    retention_days: z.int(),
    allowed: z.boolean().describe('Whether the operator allows it'),
    redaction_rules: z.int().describe('How many rules of the operator are applied before anything is stored'),
    max_characters: z.int().describe('Of each of inputs, outputs, instructions and tools'),
    updated_at: z.string().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'ContentSettings' });
export type ContentSettings = z.output<typeof ContentSettings>;
