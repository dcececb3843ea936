import { useCallback, useEffect, useRef, useState } from 'react';
import { stream } from '../../api/stream.ts';
import { type Answer, addChunk, beginAnswer, type Chunk } from './answer.ts';
import type { Ask, Call, Turn } from './setup.ts';

/** One side of the playground: what was said so far, what is arriving, and what went wrong. */
export type Pane = {
  turns: Turn[];
  /** The measured answers by the place of their turn. */
  answers: Record<number, Answer>;
  arriving: Answer | undefined;
  error: unknown;
};

const EMPTY: Pane = { turns: [], answers: {}, arriving: undefined, error: undefined };

export type Run = ReturnType<typeof useRun>;

/** A conversation that is asked for again as a whole each time: the server keeps nothing of it. */
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
        // Chunks come faster than the screen is drawn; each frame shows what is there by then.
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
    /** Asks again for the last answer, or for the one that failed. */
    retry: () => ask(withoutLastAnswer(pane.turns)),
    /** What has arrived stays. */
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
  // An answer that never began leaves no turn: the question stands there with its error.
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
