import { useCallback, useEffect, useRef, useState } from 'react';
import { stream } from '../../api/stream.ts';
import { type Answer, addChunk, beginAnswer, type Chunk } from './answer.ts';
import type { Ask, Call, Turn } from './setup.ts';

/** One side of the playground. */
export type Pane = {
  turns: Turn[];
  /** Responses with their measurements, by turn index. */
  answers: Record<number, Answer>;
  arriving: Answer | undefined;
  error: unknown;
};

const EMPTY: Pane = { turns: [], answers: {}, arriving: undefined, error: undefined };

export type Run = ReturnType<typeof useRun>;

/** Sends the whole conversation each time: the server stores none of it. */
export function useRun(askOf: (turns: readonly Turn[]) => Ask) {
  const [pane, setPane] = useState<Pane>(EMPTY);
  const running = useRef<AbortController>(undefined);
  const latest = useRef(askOf);
  latest.current = askOf;
  useEffect(() => () => running.current?.abort(), []);

  const ask = useCallback(async (turns: Turn[]) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    let answer = beginAnswer(performance.now());
    let frame = 0;
    const show = (change: Partial<Pane>) => {
      if (running.current === controller) setPane((before) => ({ ...before, ...change }));
    };
    show({ turns, arriving: answer, error: undefined });
    try {
      const { path, body } = latest.current(turns);
      for await (const { data } of stream(path, { ...body, stream: true }, controller.signal)) {
        if (data === '[DONE]') break;
        answer = addChunk(answer, JSON.parse(data) as Chunk, performance.now());
        // Chunks arrive faster than frames are drawn, so updates are batched per frame.
        if (frame === 0) {
          frame = requestAnimationFrame(() => {
            frame = 0;
            show({ arriving: answer });
          });
        }
      }
    } catch (error) {
      if (!controller.signal.aborted) show({ error });
    }
    cancelAnimationFrame(frame);
    if (running.current !== controller) return;
    running.current = undefined;
    setPane((before) => settle(before, { ...answer, endedMs: performance.now() }));
  }, []);

  return {
    pane,
    isRunning: pane.arriving !== undefined,
    send: (content: string) => ask([...pane.turns, { role: 'user', content }]),
    answerCalls: (results: { call: Call; content: string }[]) =>
      ask([...pane.turns, ...results.map(({ call, content }) => ({ role: 'tool' as const, call, content }))]),
    /** Regenerates the last response, or retries the failed one. */
    retry: () => ask(withoutLastAnswer(pane.turns)),
    /** Keeps what has arrived. */
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      running.current = undefined;
      setPane(EMPTY);
    },
  };
}

function settle(pane: Pane, answer: Answer): Pane {
  const said = answer.text !== '' || answer.thinking !== '' || answer.toolCalls.length > 0;
  // A response that never started adds no turn.
  if (!said && answer.finishReason === undefined) return { ...pane, arriving: undefined };
  const turn: Turn = { role: 'assistant', content: answer.text, calls: answer.toolCalls };
  return {
    ...pane,
    turns: [...pane.turns, turn],
    answers: { ...pane.answers, [pane.turns.length]: answer },
    arriving: undefined,
  };
}

function withoutLastAnswer(turns: Turn[]): Turn[] {
  return turns.at(-1)?.role === 'assistant' ? turns.slice(0, -1) : turns;
}
