import { ApiError } from '../kit/http/index.ts';
import { compileSchema } from '../kit/json-schema/index.ts';
import type { ChatRequest, Completion, EngineToolCall, FinishReason } from '../models/index.ts';
import { nameToolCalls } from './name-tool-calls.ts';
import { repairJson } from './repair-json.ts';

export type Problem = 'bad-arguments' | 'no-call' | 'bad-json';
export type Choice = Completion['choices'][number];

/** Makes every choice keep the contract, or says what is wrong with the first that cannot be made to. */
export function checkCompletion(completion: Completion, request: ChatRequest): Problem | undefined {
  for (const choice of completion.choices) {
    const problem = checkChoice(choice, request);
    if (problem) return problem;
  }
  return undefined;
}

export function checkChoice(choice: Choice, request: ChatRequest): Problem | undefined {
  const isCut = isCutOff(choice.finish);
  const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
  if (choice.toolCalls.length > 0) {
    const problem = mayCall ? checkCalls(choice, request, isCut) : undefined;
    if (problem) return problem;
    if (!mayCall) choice.toolCalls = [];
  }
  const mustCall = mayCall && request.toolChoice !== 'auto';
  if (mustCall && choice.toolCalls.length === 0 && !isCut && !adoptCall(choice, request)) return 'no-call';
  if (!request.parallelToolCalls && choice.toolCalls.length > 1) choice.toolCalls.length = 1;
  if (choice.toolCalls.length > 0) nameToolCalls(choice.toolCalls);
  if (!isCut && choice.finish !== 'error') choice.finish = choice.toolCalls.length > 0 ? 'tool_calls' : 'stop';
  if (request.format.type === 'text' || choice.toolCalls.length > 0 || isCut) return undefined;
  return checkJson(choice, request) ? undefined : 'bad-json';
}

function isCutOff(finish: FinishReason): boolean {
  return finish === 'length' || finish === 'model_length';
}

/** Of an answer that was cut off only whole calls stay: what is missing from the last one cannot be guessed. */
function checkCalls(choice: Choice, request: ChatRequest, isCut: boolean): Problem | undefined {
  const { toolChoice } = request;
  const wanted =
    typeof toolChoice === 'object' ? choice.toolCalls.filter(({ name }) => name === toolChoice.name) : choice.toolCalls;
  const kept: EngineToolCall[] = [];
  for (const call of wanted) {
    const text = argumentsOf(call, request, isCut);
    if (text !== undefined) kept.push({ id: call.id, name: call.name, arguments: text });
    else if (!isCut) return 'bad-arguments';
  }
  choice.toolCalls = kept;
  return undefined;
}

function argumentsOf(call: EngineToolCall, { tools }: ChatRequest, isCut: boolean): string | undefined {
  const tool = tools.find(({ name }) => name === call.name);
  const check = tool && compileSchema(tool.parameters);
  if (!check) return undefined;
  const given = call.arguments.trim() === '' && !isCut ? '{}' : call.arguments;
  const strict = parseObject(given);
  if (strict) return check(strict) ? given : undefined;
  if (isCut) return undefined;
  const value = repairJson(given)?.value;
  return isObject(value) && check(value) ? JSON.stringify(value) : undefined;
}

/** Small models write the call they were told to make as their text. */
function adoptCall(choice: Choice, request: ChatRequest): boolean {
  const { tools, toolChoice } = request;
  const tagged = /<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/.exec(choice.text)?.[1];
  const value = repairJson(tagged ?? choice.text)?.value;
  if (!isObject(value)) return false;
  const only = typeof toolChoice === 'object' ? toolChoice.name : tools.length === 1 ? tools[0]?.name : undefined;
  const isNamed = typeof value.name === 'string' && ('arguments' in value || 'parameters' in value);
  const name = isNamed ? (value.name as string) : only;
  if (name === undefined || (typeof toolChoice === 'object' && name !== toolChoice.name)) return false;
  const given = isNamed ? (value.arguments ?? value.parameters) : value;
  const call = { id: '', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
  const text = argumentsOf(call, request, false);
  if (text === undefined) return false;
  choice.toolCalls = [{ ...call, arguments: text }];
  choice.text = '';
  return true;
}

function checkJson(choice: Choice, request: ChatRequest): boolean {
  const { format, messages } = request;
  const check = format.type === 'json_schema' ? compileSchema(format.schema) : isObject;
  const last = messages.at(-1);
  const prefix = last?.role === 'assistant' && last.prefix ? last.content : '';
  const strict = parseValue(prefix + choice.text);
  if (strict) return check?.(strict.value) === true;
  const repaired = repairJson(prefix + choice.text);
  if (!repaired || check?.(repaired.value) !== true) return false;
  const text = JSON.stringify(repaired.value);
  if (!text.startsWith(prefix)) return false;
  choice.text = text.slice(prefix.length);
  return true;
}

function parseValue(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseValue(text)?.value;
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function failureOf(problem: Problem): ApiError {
  switch (problem) {
    case 'bad-arguments':
      return new ApiError(
        502,
        'The model called a tool with arguments that do not fit its parameters, twice. Simplify the tool, or use a stronger model.',
        { code: 'invalid_tool_call' },
      );
    case 'no-call':
      return new ApiError(
        502,
        'The model did not call a tool although tool_choice asks for one. Use a model that supports function calling.',
        { code: 'missing_tool_call' },
      );
    case 'bad-json':
      return new ApiError(
        502,
        'The model did not answer with JSON that fits response_format, twice. Simplify the schema, or use a stronger model.',
        { code: 'invalid_json_output' },
      );
  }
}
