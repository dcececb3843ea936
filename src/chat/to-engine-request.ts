import type { ChatRequest, EngineTool, FimRequest } from '../models/index.ts';
import { checkFunctionName, checkMessages } from './check-messages.ts';
import { chatErrors } from './errors.ts';
import { LOGPROBS_MAX, STOPS_MAX, TOOLS_MAX } from './schema/limits.ts';
import type { ChatCompletionRequest, FIMCompletionRequest, ResponseFormat } from './schema/requests.ts';
import type { AnyTool, Tool } from './schema/tools.ts';
import { toEngineMessages } from './to-engine-messages.ts';

/** Not in the published schema: each choice is a request of its own on some model servers. */
const CHOICES_MAX = 64;

/** Also checks every rule that a schema cannot state, except for the JSON schemas: `checkSchemas`. */
export function toChatRequest(body: ChatCompletionRequest): ChatRequest {
  checkMessages(body.messages, body.anyOrder);
  const choices = body.n ?? 1;
  if (choices > CHOICES_MAX) throw chatErrors.list_too_long(`n can be at most ${CHOICES_MAX}.`);
  const prediction = body.prediction.content;
  if (prediction !== '' && choices > 1) throw chatErrors.prediction_conflict();
  const tools = toTools(body.tools ?? []);
  const request: ChatRequest = {
    messages: toEngineMessages(body.messages, body.safe_prompt),
    tools,
    toolChoice: toToolChoice(body.tool_choice, tools),
    parallelToolCalls: body.parallel_tool_calls,
    format: toFormat(body.response_format),
    choices,
    stop: toStop(body.stop),
  };
  addSampling(request, body);
  if (request.minTokens !== undefined && request.minTokens > (request.maxTokens ?? Number.POSITIVE_INFINITY))
    throw chatErrors.min_tokens_too_large();
  const effort = body.reasoning_effort ?? (body.prompt_mode === 'reasoning' ? 'high' : undefined);
  if (effort) request.reasoningEffort = effort;
  if (typeof body.presence_penalty === 'number') request.presencePenalty = body.presence_penalty;
  if (typeof body.frequency_penalty === 'number') request.frequencyPenalty = body.frequency_penalty;
  if (typeof body.repetition_penalty === 'number') request.repetitionPenalty = body.repetition_penalty;
  if (typeof body.top_k === 'number' && body.top_k > 0) request.topK = body.top_k;
  if (body.logprobs || body.prompt_logprobs || body.top_logprobs || body.top_prompt_logprobs)
    addLogprobs(request, body, choices);
  if (prediction !== '') request.prediction = prediction;
  if (body.prompt_cache_key) request.cacheKey = body.prompt_cache_key;
  if (body.logitBias) request.logitBias = body.logitBias;
  return request;
}

export function toFimRequest(body: FIMCompletionRequest): FimRequest {
  const request: FimRequest = {
    prompt: body.prompt,
    suffix: body.suffix ?? '',
    choices: 1,
    stop: toStop(body.stop),
  };
  addSampling(request, body);
  return request;
}

function addLogprobs(request: ChatRequest, body: ChatCompletionRequest, choices: number): void {
  const { logprobs, top_logprobs, prompt_logprobs, top_prompt_logprobs } = body;
  if (!logprobs && top_logprobs) throw chatErrors.logprobs_missing('top_logprobs needs `logprobs: true`.');
  if (!prompt_logprobs && top_prompt_logprobs)
    throw chatErrors.logprobs_missing('top_prompt_logprobs needs `prompt_logprobs: true`.');
  if (logprobs) request.logprobs = top_logprobs ?? 0;
  if (prompt_logprobs) request.promptLogprobs = top_prompt_logprobs ?? 0;
  if (choices * (1 + (request.logprobs ?? 0)) > LOGPROBS_MAX)
    throw chatErrors.list_too_long(`n × (1 + top_logprobs) can be at most ${LOGPROBS_MAX}.`);
}

function addSampling(request: ChatRequest | FimRequest, body: ChatCompletionRequest | FIMCompletionRequest): void {
  if (typeof body.temperature === 'number') request.temperature = body.temperature;
  if (typeof body.top_p === 'number') request.topP = body.top_p;
  if (typeof body.max_tokens === 'number') request.maxTokens = body.max_tokens;
  if (typeof body.min_tokens === 'number') request.minTokens = body.min_tokens;
  if (typeof body.random_seed === 'number') request.seed = body.random_seed;
}

function toStop(stop: string | string[] | null | undefined): string[] {
  if (stop === null || stop === undefined) return [];
  if (typeof stop === 'string') return [stop];
  if (stop.length > STOPS_MAX)
    throw chatErrors.list_too_long(`At most ${STOPS_MAX} stop strings can be given, not ${stop.length}.`);
  return stop;
}

function toTools(tools: AnyTool[]): EngineTool[] {
  if (tools.length > TOOLS_MAX)
    throw chatErrors.list_too_long(`At most ${TOOLS_MAX} tools can be given, not ${tools.length}.`);
  const names = new Set<string>();
  return tools.map((tool) => {
    if (!isFunction(tool)) throw chatErrors.tool_type_unsupported(tool.type);
    const { name, description, parameters, strict } = tool.function;
    checkFunctionName(name);
    if (names.has(name)) throw chatErrors.function_name_taken(name);
    names.add(name);
    return { name, description, parameters, strict };
  });
}

function isFunction(tool: AnyTool): tool is Tool {
  return tool.type === 'function';
}

function toToolChoice(choice: ChatCompletionRequest['tool_choice'], tools: EngineTool[]): ChatRequest['toolChoice'] {
  if (typeof choice === 'object') {
    const { name } = choice.function;
    if (!tools.some((tool) => tool.name === name))
      throw chatErrors.tool_choice_invalid(`tool_choice names the function '${name}', which is not among the tools.`);
    return { name };
  }
  if (choice === 'auto' || choice === 'none') return choice;
  if (tools.length === 0) throw chatErrors.tool_choice_invalid(`tool_choice '${choice}' needs tools.`);
  return 'any';
}

function toFormat(format: ResponseFormat | undefined): ChatRequest['format'] {
  if (!format || format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json_object' };
  const { json_schema: given } = format;
  if (!given) throw chatErrors.response_format_invalid("A response_format of type 'json_schema' needs json_schema.");
  const { name, schema, strict, description } = given;
  return description
    ? { type: 'json_schema', name, description, schema, strict }
    : { type: 'json_schema', name, schema, strict };
}
