import { z } from 'zod';

const NOTE_LENGTH_MAX = 4000;
const rating = z.enum(['up', 'down']);

export const FeedbackRequest = z
  .strictObject({
    rating: rating.nullable().optional(),
    note: z.string().max(NOTE_LENGTH_MAX).nullable().optional(),
  })
  .meta({ id: 'FeedbackRequest' });
export type FeedbackRequest = z.output<typeof FeedbackRequest>;

export const Feedback = z
  .object({
    object: z.literal('feedback'),
    trace_id: z.string(),
    span_id: z.string(),
    user_id: z.string(),
    rating: rating.nullable(),
    note: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.output<typeof Feedback>;

export const FeedbackList = z
  .object({ object: z.literal('list'), data: z.array(Feedback) })
  .meta({ id: 'FeedbackList' });
export type FeedbackList = z.output<typeof FeedbackList>;
