import type { Answer, Source } from '../../api/answer.ts';
import type { Call } from './setup.ts';

export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };
/** A response as it streams in. */
export type Reply = {
  text: string;
  thinking: string;
  toolCalls: Call[];
  /** What it cites of libraries, and what the model searched for. */
  sources: readonly Source[];
  searches: readonly string[];
  model: string;
  finishReason: string | undefined;
  usage: Usage | undefined;
  /** Chunks with content so far; estimates the tokens until the usage arrives. */
  pieces: number;
  startedMs: number;
  firstMs: number | undefined;
  endedMs: number | undefined;
};

type Part = { type: string; text?: string; thinking?: Part[] };
export type Chunk = {
  model?: string;
  usage?: Usage | null;
  choices?: {
    delta?: {
      content?: string | Part[] | null;
      tool_calls?: { id?: string; function: { name: string; arguments: string | object } }[] | null;
    };
    finish_reason?: string | null;
  }[];
};

export function startReply(nowMs: number): Reply {
  return {
    text: '',
    thinking: '',
    toolCalls: [],
    sources: [],
    searches: [],
    model: '',
    finishReason: undefined,
    usage: undefined,
    pieces: 0,
    startedMs: nowMs,
    firstMs: undefined,
    endedMs: undefined,
  };
}

export function addChunk(reply: Reply, chunk: Chunk, nowMs: number): Reply {
  const [choice] = chunk.choices ?? [];
  const { text, thinking } = contentOf(choice?.delta?.content);
  const calls = (choice?.delta?.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
    id: id ?? '',
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }));
  const hasContent = text !== '' || thinking !== '' || calls.length > 0;
  return {
    ...reply,
    text: reply.text + text,
    thinking: reply.thinking + thinking,
    toolCalls: calls.length > 0 ? [...reply.toolCalls, ...calls] : reply.toolCalls,
    model: chunk.model ?? reply.model,
    finishReason: choice?.finish_reason ?? reply.finishReason,
    usage: chunk.usage ?? reply.usage,
    pieces: reply.pieces + (hasContent ? 1 : 0),
    firstMs: reply.firstMs ?? (hasContent ? nowMs : undefined),
  };
}

/** The answer so far of a conversation, which is what searches libraries. */
export function takeAnswer(reply: Reply, answer: Answer, nowMs: number): Reply {
  const { text, thinking, sources, searches, calls, usage } = answer;
  const hasContent = text !== '' || thinking !== '' || calls.length > 0;
  return {
    ...reply,
    ...{ text, thinking, sources, searches, toolCalls: calls, usage },
    finishReason: usage && (calls.length > 0 ? 'tool_calls' : 'stop'),
    pieces: reply.pieces + (text.length + thinking.length > reply.text.length + reply.thinking.length ? 1 : 0),
    firstMs: reply.firstMs ?? (hasContent ? nowMs : undefined),
  };
}

/** Tokens per second after the first; the time to the first token is reported separately. */
export function speedOf({ usage, pieces, firstMs, endedMs }: Reply, nowMs: number): number | undefined {
  const tokens = usage?.completion_tokens ?? pieces;
  const seconds = firstMs === undefined ? 0 : ((endedMs ?? nowMs) - firstMs) / 1000;
  return seconds > 0.05 && tokens > 1 ? (tokens - 1) / seconds : undefined;
}

function contentOf(content: string | Part[] | null | undefined): { text: string; thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' };
  let text = '';
  let thinking = '';
  for (const part of content ?? []) {
    if (part.type === 'thinking') thinking += (part.thinking ?? []).map((inner) => inner.text ?? '').join('');
    else text += part.text ?? '';
  }
  return { text, thinking };
}
