import { randomBytes } from 'node:crypto';
import { type Budget, createBudget, prepareSchema } from '../kit/json-schema/index.ts';
import type { ChatRequest, Completion, EngineToolCall, FinishReason } from '../models/index.ts';
import { formatTooExpensive, toolTooExpensive } from './check-schemas.ts';
import { repairJson } from './repair-json.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const CALL_ID = /^[a-zA-Z0-9]{9}$/;
const CALL_ID_LENGTH = 9;

/** The code of the error, if a second attempt has the same problem. */
export type Problem = 'invalid_tool_call' | 'missing_tool_call' | 'invalid_json_output';
export type Choice = Completion['choices'][number];

/**
 * Repairs every choice, or returns the problem of the first one that cannot be repaired. All checks by a JSON schema share
 * one budget; beyond it the completion is refused.
 */
export function checkCompletion(completion: Completion, request: ChatRequest): Problem | undefined {
  const budget = createBudget();
  for (const choice of completion.choices) {
    const problem = checkChoice(choice, request, budget);
    if (problem) return problem;
  }
  return undefined;
}

export function checkChoice(choice: Choice, request: ChatRequest, budget = createBudget()): Problem | undefined {
  const isCut = isCutOff(choice.finish);
  const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
  if (choice.toolCalls.length > 0) {
    const problem = mayCall ? checkCalls(choice, request, isCut, budget) : undefined;
    if (problem) return problem;
    if (!mayCall) choice.toolCalls = [];
  }
  const mustCall = mayCall && request.toolChoice !== 'auto';
  if (mustCall && choice.toolCalls.length === 0 && !isCut && !takeCallFromText(choice, request, budget))
    return 'missing_tool_call';
  if (!request.parallelToolCalls && choice.toolCalls.length > 1) choice.toolCalls.length = 1;
  if (choice.toolCalls.length > 0) nameToolCalls(choice.toolCalls);
  if (!isCut && choice.finish !== 'error') choice.finish = choice.toolCalls.length > 0 ? 'tool_calls' : 'stop';
  if (request.format.type === 'text' || choice.toolCalls.length > 0 || isCut) return undefined;
  return checkJson(choice, request, budget) ? undefined : 'invalid_json_output';
}

function isCutOff(finish: FinishReason): boolean {
  return finish === 'length' || finish === 'model_length';
}

/** Of a reply that was cut off only whole calls stay: the missing part of the last one cannot be guessed. */
function checkCalls(choice: Choice, request: ChatRequest, isCut: boolean, budget: Budget): Problem | undefined {
  const { toolChoice } = request;
  const wanted =
    typeof toolChoice === 'object' ? choice.toolCalls.filter(({ name }) => name === toolChoice.name) : choice.toolCalls;
  const kept: EngineToolCall[] = [];
  for (const call of wanted) {
    const text = argumentsOf(call, request, isCut, budget);
    if (text !== undefined) kept.push({ id: call.id, name: call.name, arguments: text });
    else if (!isCut) return 'invalid_tool_call';
  }
  choice.toolCalls = kept;
  return undefined;
}

function argumentsOf(call: EngineToolCall, { tools }: ChatRequest, isCut: boolean, budget: Budget): string | undefined {
  const index = tools.findIndex(({ name }) => name === call.name);
  const tool = tools[index];
  const schema = tool && prepareSchema(tool.parameters);
  if (typeof schema !== 'object') return undefined;
  const fits = (value: unknown): boolean => {
    const verdict = schema.check(value, budget);
    if (verdict === 'too_expensive') throw toolTooExpensive(index, call.name);
    return verdict === 'valid';
  };
  const given = call.arguments.trim() === '' && !isCut ? '{}' : call.arguments;
  const strict = parseObject(given);
  if (strict) return fits(strict) ? given : undefined;
  if (isCut) return undefined;
  const value = repairJson(given)?.value;
  return isObject(value) && fits(value) ? JSON.stringify(value) : undefined;
}

/** Small models write the required call as text. */
function takeCallFromText(choice: Choice, request: ChatRequest, budget: Budget): boolean {
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
  const text = argumentsOf(call, request, false, budget);
  if (text === undefined) return false;
  choice.toolCalls = [{ ...call, arguments: text }];
  choice.text = '';
  return true;
}

function checkJson(choice: Choice, { format, messages }: ChatRequest, budget: Budget): boolean {
  const schema = format.type === 'json_schema' ? prepareSchema(format.schema) : undefined;
  const fits = (value: unknown): boolean => {
    if (format.type !== 'json_schema') return isObject(value);
    if (typeof schema !== 'object') return false;
    const verdict = schema.check(value, budget);
    if (verdict === 'too_expensive') throw formatTooExpensive();
    return verdict === 'valid';
  };
  const last = messages.at(-1);
  const prefix = last?.role === 'assistant' && last.prefix ? last.content : '';
  const strict = parseValue(prefix + choice.text);
  if (strict) return fits(strict.value);
  const repaired = repairJson(prefix + choice.text);
  if (!repaired || !fits(repaired.value)) return false;
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

/** Engines name their calls as they like; on the wire an id has nine letters or digits and is unique. */
function nameToolCalls(calls: EngineToolCall[]): void {
  const seen = new Set<string>();
  for (const call of calls) {
    if (!CALL_ID.test(call.id) || seen.has(call.id)) call.id = createCallId();
    seen.add(call.id);
  }
}

function createCallId(): string {
  let id = '';
  for (const byte of randomBytes(CALL_ID_LENGTH)) id += LETTERS[byte % LETTERS.length];
  return id;
}
