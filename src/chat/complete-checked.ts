import type { ChatRequest, Completion, Engine, Tally } from '../models/index.ts';
import { checkCompletion, type Problem } from './check-completion.ts';
import { chatErrors } from './errors.ts';
import { withInstruction } from './to-engine-messages.ts';

/** A completion that keeps the contract about tool calls and JSON. One that does not is requested once more. */
export async function completeChecked(
  engine: Engine,
  request: ChatRequest,
  signal: AbortSignal,
  tally: Tally,
): Promise<Completion> {
  const first = await engine.complete(request, signal, tally);
  return replaceInvalid(engine, request, first, signal, tally) ?? first;
}

/** Undefined when the first completion keeps the contract; no promise, which would cost every request. */
export function replaceInvalid(
  engine: Engine,
  request: ChatRequest,
  first: Completion,
  signal: AbortSignal,
  tally: Tally,
): Promise<Completion> | undefined {
  const problem = checkCompletion(first, request);
  return problem && completeAgain(engine, request, problem, signal, tally);
}

/** The second and last attempt, with a clearer request. */
export async function completeAgain(
  engine: Engine,
  request: ChatRequest,
  problem: Problem,
  signal: AbortSignal,
  tally: Tally,
): Promise<Completion> {
  await tally.admit();
  const second = await engine.complete(strengthen(request, problem), signal, tally);
  const remaining = checkCompletion(second, request);
  if (remaining) throw chatErrors[remaining]();
  return second;
}

function strengthen(request: ChatRequest, problem: Problem): ChatRequest {
  const messages = withInstruction(request.messages, instructionFor(request, problem));
  const [only, ...others] = request.tools;
  const isOnly = problem === 'missing_tool_call' && only && others.length === 0;
  return isOnly ? { ...request, messages, toolChoice: { name: only.name } } : { ...request, messages };
}

function instructionFor({ format, toolChoice }: ChatRequest, problem: Problem): string {
  switch (problem) {
    case 'missing_tool_call': {
      const which = typeof toolChoice === 'object' ? `the tool "${toolChoice.name}"` : 'one of the tools';
      return `You must answer by calling ${which}. Do not answer with text.`;
    }
    case 'invalid_tool_call':
      return 'When you call a tool, its arguments must be one JSON object that is valid for the JSON schema of its parameters.';
    case 'invalid_json_output':
      return format.type === 'json_schema'
        ? `Answer with JSON only, without any other text, valid for this JSON schema: ${JSON.stringify(format.schema)}`
        : 'Answer with one JSON object only, without any other text.';
  }
}
