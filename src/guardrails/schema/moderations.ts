import { z } from 'zod';

// Named after the classifiers that it will also ask; the public API has one request for both.
export const ClassificationRequest = z
  .strictObject({
    model: z.string(),
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
