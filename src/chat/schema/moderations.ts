import { z } from 'zod';
import { MODEL_CHARACTERS_MAX } from './limits.ts';
import { Message } from './messages.ts';

/** One conversation, or several. */
export const ChatModerationRequest = z
  .strictObject({
    model: z.string().max(MODEL_CHARACTERS_MAX),
    input: z.union([z.array(Message), z.array(z.array(Message))]),
  })
  .meta({ id: 'ChatModerationRequest' });
export type ChatModerationRequest = z.infer<typeof ChatModerationRequest>;
