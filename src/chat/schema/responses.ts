import { z } from 'zod';
import { GuardrailResult } from '../../guardrails/index.ts';
import { UsageInfo } from '../../metering/index.ts';
import { Content } from './content.ts';
import { AssistantMessage, ToolCall } from './messages.ts';

const DeltaMessage = z
  .object({
    role: z.string().nullable().optional(),
    content: Content.optional(),
    tool_calls: z.array(ToolCall).nullable().optional(),
    tool_call_id: z.string().nullable().optional(),
    index: z.int().min(0).nullable().optional(),
    metadata: z.record(z.string(), z.unknown()).nullable().optional(),
  })
  .meta({ id: 'DeltaMessage' });

const tokenLogprob = { token: z.string(), logprob: z.number(), bytes: z.array(z.int()), token_id: z.int() };

const TokenLogprobs = z.object(tokenLogprob).meta({ id: 'ChatCompletionResponseTokenLogprobs' });

const TokenLogprobsTopK = z
  .object({ ...tokenLogprob, top_logprobs: z.array(TokenLogprobs).nullable().optional() })
  .meta({ id: 'ChatCompletionResponseTokenLogprobsTopK' });

const ChoiceLogprobs = z
  .object({ content: z.array(TokenLogprobsTopK) })
  .meta({ id: 'ChatCompletionResponseChoiceLogprobs' });

/** Present if the request asks for them; those of the prompt on the first choice only. */
const logprobs = {
  logprobs: ChoiceLogprobs.nullable().optional(),
  prompt_logprobs: ChoiceLogprobs.nullable().optional(),
};

const ChatCompletionChoice = z
  .object({
    index: z.int(),
    message: AssistantMessage.optional(),
    messages: z.array(DeltaMessage).optional(),
    finish_reason: z.enum(['stop', 'length', 'model_length', 'error', 'tool_calls']),
    ...logprobs,
  })
  .meta({ id: 'ChatCompletionChoice' });

const answer = {
  id: z.string(),
  object: z.string(),
  model: z.string(),
  usage: UsageInfo,
  created: z.int(),
  choices: z.array(ChatCompletionChoice),
};

/** The results of the guardrails, if the request has some. */
const guardrails = z.array(GuardrailResult).optional();

export const ChatCompletionResponse = z.object({ ...answer, guardrails }).meta({ id: 'ChatCompletionResponse' });
export type ChatCompletionResponse = z.input<typeof ChatCompletionResponse>;

export const FIMCompletionResponse = z.object(answer).meta({ id: 'FIMCompletionResponse' });

const CompletionResponseStreamChoice = z
  .object({
    index: z.int(),
    delta: DeltaMessage,
    finish_reason: z.enum(['stop', 'length', 'error', 'tool_calls']).nullable(),
    ...logprobs,
  })
  .meta({ id: 'CompletionResponseStreamChoice' });

const CompletionChunk = z
  .object({
    id: z.string(),
    object: z.string().optional(),
    created: z.int().optional(),
    model: z.string(),
    usage: UsageInfo.optional(),
    choices: z.array(CompletionResponseStreamChoice),
    /** On the first chunk. */
    guardrails,
    /** Padding, so that the length of a chunk does not reveal its token. */
    p: z.string(),
  })
  .meta({ id: 'CompletionChunk' });

export const CompletionEvent = z.object({ data: CompletionChunk }).meta({ id: 'CompletionEvent' });
