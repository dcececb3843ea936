import { useCallback, useEffect, useRef, useState } from 'react';
import { askConversation } from '../../api/answer.ts';
import { stream } from '../../api/stream.ts';
import type { Attachment } from './attachments.ts';
import { addChunk, type Chunk, type Reply, startReply, takeAnswer } from './reply.ts';
import type { Call, Turn } from './setup.ts';
import { isConversation } from './to-conversation.ts';

/** One side of the playground. */
export type Pane = {
  turns: Turn[];
  /** Responses with their measurements, by turn index. */
  replies: Record<number, Reply>;
  arriving: Reply | undefined;
  error: unknown;
};

export const EMPTY_PANE: Pane = { turns: [], replies: {}, arriving: undefined, error: undefined };

export type Run = ReturnType<typeof useRun>;

type Request = { path: string; body: object };

/** Sends the whole conversation each time: the server stores none of it. */
export function useRun(buildRequest: (turns: readonly Turn[]) => Request, kept: Pane = EMPTY_PANE) {
  const [pane, setPane] = useState<Pane>(kept);
  const running = useRef<AbortController>(undefined);
  const latest = useRef(buildRequest);
  latest.current = buildRequest;
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(async (turns: Turn[]) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    let reply = startReply(performance.now());
    let frame = 0;
    const show = (change: Partial<Pane>) => {
      if (running.current === controller) setPane((before) => ({ ...before, ...change }));
    };
    setPane((before) => ({
      ...before,
      turns,
      replies: repliesBefore(before.replies, turns.length),
      arriving: reply,
      error: undefined,
    }));
    try {
      for await (const next of replies(latest.current(turns), reply, controller.signal)) {
        reply = next;
        // Chunks arrive faster than frames are drawn, so updates are batched per frame.
        if (frame === 0) {
          frame = requestAnimationFrame(() => {
            frame = 0;
            show({ arriving: reply });
          });
        }
      }
    } catch (error) {
      if (!controller.signal.aborted) show({ error });
    }
    cancelAnimationFrame(frame);
    if (running.current !== controller) return;
    running.current = undefined;
    setPane((before) => settle(before, { ...reply, endedMs: performance.now() }));
  }, []);

  return {
    pane,
    isRunning: pane.arriving !== undefined,
    // A message that failed is replaced by the next one, so that it is not sent twice.
    send: (content: string, attachments: readonly Attachment[] = []) =>
      run([
        ...(pane.error === undefined ? pane.turns : withoutUnanswered(pane.turns)),
        { role: 'user', content, ...(attachments.length > 0 ? { attachments } : {}) },
      ]),
    /** Says something else in place of an earlier message; what followed it goes. */
    edit: (at: number, content: string) => {
      const turn = pane.turns[at];
      if (turn?.role === 'user') void run([...pane.turns.slice(0, at), { ...turn, content }]);
    },
    /** Shows what another place has kept. */
    show: (kept: Pane) => {
      running.current?.abort();
      running.current = undefined;
      setPane(kept);
    },
    sendResults: (results: { call: Call; content: string }[]) =>
      run([...pane.turns, ...results.map(({ call, content }) => ({ role: 'tool' as const, call, content }))]),
    /** Regenerates the last response, or retries the failed one. */
    retry: () => run(withoutLastReply(pane.turns)),
    /** Keeps what has arrived. */
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      running.current = undefined;
      setPane(EMPTY_PANE);
    },
  };
}

function settle(pane: Pane, reply: Reply): Pane {
  const hasContent = reply.text !== '' || reply.thinking !== '' || reply.toolCalls.length > 0;
  // A response that never started adds no turn.
  if (!hasContent && reply.finishReason === undefined) return { ...pane, arriving: undefined };
  const turn: Turn = { role: 'assistant', content: reply.text, calls: reply.toolCalls };
  return {
    ...pane,
    turns: [...pane.turns, turn],
    replies: { ...pane.replies, [pane.turns.length]: reply },
    arriving: undefined,
  };
}

/** Each step is the whole reply so far. */
async function* replies(request: Request, start: Reply, signal: AbortSignal): AsyncGenerator<Reply> {
  let reply = start;
  if (isConversation(request)) {
    for await (const answer of askConversation(request.path, request.body, signal)) {
      reply = takeAnswer(reply, answer, performance.now());
      yield reply;
    }
    return;
  }
  for await (const { data } of stream(request.path, { ...request.body, stream: true }, signal)) {
    if (data === '[DONE]') return;
    reply = addChunk(reply, JSON.parse(data) as Chunk, performance.now());
    yield reply;
  }
}

/** An answer belongs to its place; those behind the last message are gone. */
function repliesBefore(replies: Pane['replies'], length: number): Pane['replies'] {
  return Object.fromEntries(Object.entries(replies).filter(([at]) => Number(at) < length));
}

function withoutUnanswered(turns: Turn[]): Turn[] {
  return turns.slice(0, turns.findLastIndex(({ role }) => role === 'assistant') + 1);
}

export function withoutLastReply(turns: Turn[]): Turn[] {
  return turns.at(-1)?.role === 'assistant' ? turns.slice(0, -1) : turns;
}
