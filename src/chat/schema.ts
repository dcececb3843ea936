import { z } from 'zod';

const SystemMessage = z.strictObject({ role: z.literal('system'), content: z.string() });
const UserMessage = z.strictObject({ role: z.literal('user'), content: z.string() });
const AssistantMessage = z.strictObject({ role: z.literal('assistant'), content: z.string() });

/** Text chat only so far. What is not here is refused, never ignored. */
export const ChatCompletionRequest = z.strictObject({
  model: z.string(),
  messages: z.array(z.discriminatedUnion('role', [SystemMessage, UserMessage, AssistantMessage])),
  temperature: z.number().min(0).max(1.5).nullable().optional(),
  top_p: z.number().gt(0).max(1).nullable().optional(),
  max_tokens: z.int().min(0).nullable().optional(),
  stream: z.boolean().default(false),
  stop: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .optional(),
  random_seed: z.int().min(0).nullable().optional(),
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

const Usage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

export const ChatCompletionResponse = z.object({
  id: z.string(),
  object: z.string(),
  model: z.string(),
  usage: Usage,
  created: z.int(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({ role: z.literal('assistant'), content: z.string().nullable(), tool_calls: z.null() }),
      finish_reason: z.enum(['stop', 'length', 'model_length', 'error', 'tool_calls']),
    }),
  ),
});
export type ChatCompletionResponse = z.infer<typeof ChatCompletionResponse>;

/** The part of an OpenAI-compatible answer that we read; everything else is dropped. */
export const UpstreamCompletion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullable().optional() }),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).nullable().catch('stop'),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.int().default(0), completion_tokens: z.int().default(0) }).optional(),
});
