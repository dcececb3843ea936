import type { Answer } from '../../test/support/call.ts';
import { readEvents } from './chat-for-tests.ts';

type ToolCall = { id: string; type: string; function: { name: string; arguments: string }; index: number };
type Choice = { calls: ToolCall[]; finish: string | null | undefined };
type Body = { choices: { message: { tool_calls: ToolCall[] | null }; finish_reason: string }[] };

/** The calls and the finish reason of the only choice, streamed or not. A streamed call is whole in one delta. */
export function readChoice({ body, text }: Pick<Answer, 'body' | 'text'>, isStream: boolean): Choice {
  if (!isStream) {
    const [choice] = (body as Body).choices;
    return { calls: choice?.message.tool_calls ?? [], finish: choice?.finish_reason };
  }
  const { chunks, isDone, error } = readEvents(text);
  if (!isDone || error) throw new Error(`the stream did not end well: ${text.slice(-500)}`);
  return {
    calls: chunks.flatMap(({ choices }) => (choices[0]?.delta.tool_calls ?? []) as ToolCall[]),
    finish: chunks.at(-1)?.choices[0]?.finish_reason,
  };
}
