import { z } from 'zod';
import { Message } from '../../chat/index.ts';

const MODEL_CHARACTERS_MAX = 512;

const InstructRequest = z.strictObject({ messages: z.array(Message) }).meta({ id: 'InstructRequest' });

/** One conversation, or several. */
const ChatClassificationRequestInputs = z
  .union([InstructRequest, z.array(InstructRequest)])
  .meta({ id: 'ChatClassificationRequestInputs' });

export const ChatClassificationRequest = z
  .strictObject({ model: z.string().max(MODEL_CHARACTERS_MAX), input: ChatClassificationRequestInputs })
  .meta({ id: 'ChatClassificationRequest' });

const ClassificationTargetResult = z
  .object({ scores: z.record(z.string(), z.number()) })
  .meta({ id: 'ClassificationTargetResult' });

export const ClassificationResponse = z
  .object({
    id: z.string(),
    model: z.string(),
    /** One per text, in order: by target, the score of each of its labels. */
    results: z.array(z.record(z.string(), ClassificationTargetResult)),
  })
  .meta({ id: 'ClassificationResponse' });
export type ClassificationResponse = z.infer<typeof ClassificationResponse>;
