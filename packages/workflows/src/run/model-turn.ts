import { makeStep } from '../define-step.ts';
import type { ChatCall, ChatResult, StepContext, ToolCall } from '../definitions.ts';
import type { Json } from '../protocol.ts';
import { readRefusal } from './read-refusal.ts';
import { readServerEvents } from './read-server-events.ts';

type Chunk = {
  model?: string;
  usage?: Json;
  choices?: {
    delta?: { content?: Json; tool_calls?: (ToolCall & { index?: number })[] };
    finish_reason?: string | null;
  }[];
};

const TEN_MINUTES_MS = 600_000;

/** One model turn, by a request to the platform with the worker's key. */
export const chatStep = makeStep('__model_turn', { timeoutMs: TEN_MINUTES_MS }, (call, step) =>
  takeModelTurn(call as ChatCall, step),
);

async function takeModelTurn(call: ChatCall, step: StepContext): Promise<ChatResult> {
  const { url, apiKey } = step.platform;
  const path = call.agent_id === undefined ? '/v1/chat/completions' : '/v1/agents/completions';
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      traceparent: step.traceparent,
    },
    body: JSON.stringify({ ...call, stream: true }),
    signal: step.signal,
  });
  if (!response.ok || !response.body) throw await readRefusal(response);
  const task = step.task('token', { text: '' });
  const result: ChatResult = {
    message: { role: 'assistant', content: '' },
    finish_reason: null,
    model: call.model ?? '',
    usage: null,
  };
  let text = '';
  for await (const data of readServerEvents(response.body)) {
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as Chunk;
    const [choice] = chunk.choices ?? [];
    text += textOf(choice?.delta?.content);
    for (const { index: _index, ...toolCall } of choice?.delta?.tool_calls ?? [])
      result.message.tool_calls = [...(result.message.tool_calls ?? []), toolCall];
    result.finish_reason = choice?.finish_reason ?? result.finish_reason;
    result.model = chunk.model ?? result.model;
    result.usage = chunk.usage ?? result.usage;
    task.update({ text });
  }
  if (result.finish_reason === null) throw new Error('The model stopped before it had finished.');
  task.complete();
  result.message.content = text;
  return result;
}

/** Content is a string or a list of parts; thinking parts are not text. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => ((part as { type?: string }).type === 'text' ? String((part as { text?: Json }).text) : ''))
    .join('');
}
