import { hexId } from '../../kit/base/ids.ts';
import type { Completion, EngineToolCall, EngineUsage, FinishReason, Logprobs } from '../../models/index.ts';
import type { OutputItem, ResponseBody, ResponsesUsage } from '../schema/responses.ts';
import type { NamedTools } from './name-tools.ts';

/** What a response repeats of its request. */
export type Echo = Pick<
  ResponseBody,
  | 'instructions'
  | 'max_output_tokens'
  | 'max_tool_calls'
  | 'parallel_tool_calls'
  | 'previous_response_id'
  | 'prompt_cache_key'
  | 'reasoning'
  | 'temperature'
  | 'text'
  | 'tool_choice'
  | 'tools'
  | 'top_logprobs'
  | 'top_p'
  | 'metadata'
  | 'store'
  | 'background'
  | 'user'
>;

export type Asked = {
  instructions?: string | null | undefined;
  max_output_tokens?: number | null | undefined;
  max_tool_calls?: number | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
  previous_response_id?: string | null | undefined;
  prompt_cache_key?: string | null | undefined;
  reasoning?: { effort?: string | null | undefined } | null | undefined;
  temperature?: number | null | undefined;
  text?: unknown;
  tool_choice?: unknown;
  tools?: readonly unknown[] | null | undefined;
  top_logprobs?: number | null | undefined;
  top_p?: number | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

const ASKED = [
  ...(['instructions', 'max_output_tokens', 'max_tool_calls', 'parallel_tool_calls', 'previous_response_id'] as const),
  ...(['prompt_cache_key', 'reasoning', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs'] as const),
  ...(['top_p', 'metadata'] as const),
];

/** What `echoOf` needs of a request, without what has its default. */
export function askedOf(body: Asked): Asked {
  const asked: Record<string, unknown> = {};
  for (const name of ASKED) {
    const given = body[name];
    if (given !== undefined && given !== null) asked[name] = given;
  }
  return asked as Asked;
}

export function echoOf(body: Asked): Echo {
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null },
    temperature: body.temperature ?? null,
    text: { format: { type: 'text' }, ...(body.text as object | null | undefined) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: [...(body.tools ?? [])],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? null,
    metadata: body.metadata ?? {},
    store: false,
    background: false,
    user: null,
  };
}

export type ResponseHead = { id: string; created: number; model: string };

/** A response that has begun. */
export function beginResponse({ id, created, model }: ResponseHead, echo: Echo): ResponseBody {
  return {
    id,
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output: [],
    prompt_cache_retention: null,
    safety_identifier: null,
    service_tier: 'default',
    truncation: 'disabled',
    usage: null,
    ...echo,
  };
}

export function renderResponse(
  { choices: [choice], usage }: Completion,
  head: ResponseHead,
  echo: Echo,
  named: NamedTools,
  showsThinking: boolean,
): ResponseBody {
  const response = beginResponse(head, echo);
  if (choice) {
    const isCut = isCutOff(choice.finish);
    if (choice.thinking && showsThinking) response.output.push(reasoningItem(hexId('rs_'), choice.thinking));
    if (choice.text !== '' || choice.toolCalls.length === 0)
      response.output.push(messageItem(hexId('msg_'), choice.text, choice.logprobs, isCut));
    for (const call of choice.toolCalls) response.output.push(callItem(hexId('fc_'), call, named));
    endResponse(response, choice.finish, head.created);
  }
  response.usage = toUsage(usage);
  return response;
}

export function endResponse(response: ResponseBody, finish: FinishReason, at: number): void {
  if (isCutOff(finish)) {
    response.status = 'incomplete';
    response.incomplete_details = { reason: 'max_output_tokens' };
    return;
  }
  response.status = 'completed';
  response.completed_at = at;
}

export function isCutOff(finish: FinishReason): boolean {
  return finish === 'length' || finish === 'model_length';
}

export function reasoningItem(id: string, text: string): OutputItem {
  return { type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }], status: 'completed' };
}

export function messageItem(id: string, text: string, logprobs: Logprobs['logprobs'], isCut: boolean): OutputItem {
  return {
    type: 'message',
    id,
    role: 'assistant',
    status: isCut ? 'incomplete' : 'completed',
    content: [{ type: 'output_text', text, annotations: [], logprobs: toLogprobs(logprobs) }],
  };
}

export function callItem(
  id: string,
  { id: callId, name, arguments: given }: EngineToolCall,
  { functions }: NamedTools,
) {
  const called = functions.get(name);
  return {
    type: 'function_call' as const,
    id,
    call_id: `call_${callId}`,
    name: called?.name ?? name,
    arguments: given,
    ...(called?.namespace ? { namespace: called.namespace } : {}),
    status: 'completed' as const,
  };
}

export function toLogprobs(logprobs: Logprobs['logprobs']) {
  return (logprobs ?? []).map(({ token, bytes, logprob, top_logprobs }) => ({
    token,
    bytes,
    logprob,
    top_logprobs: (top_logprobs ?? []).map((top) => ({ token: top.token, bytes: top.bytes, logprob: top.logprob })),
  }));
}

export function toUsage({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
}: EngineUsage): ResponsesUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cache_write_tokens: 0, cached_tokens: cachedTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
  };
}
