import { z } from 'zod';

// The name is the public API's, which has one request for moderation and classification.
export const ClassificationRequest = z
  .strictObject({
    model: z.string().max(512),
    metadata: z.record(z.string(), z.unknown()).nullable().optional(),
    input: z.union([z.string(), z.array(z.string())]),
  })
  .meta({ id: 'ClassificationRequest' });
export type ClassificationRequest = z.infer<typeof ClassificationRequest>;

const ModerationObject = z
  .object({
    categories: z.record(z.string(), z.boolean()).optional(),
    category_scores: z.record(z.string(), z.number()).optional(),
  })
  .meta({ id: 'ModerationObject' });

export const ModerationResponse = z
  .object({ id: z.string(), model: z.string(), results: z.array(ModerationObject) })
  .meta({ id: 'ModerationResponse' });
export type ModerationResponse = z.infer<typeof ModerationResponse>;
