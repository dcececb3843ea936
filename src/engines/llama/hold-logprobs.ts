import type { Delta, PlacedLogprob, TokenLogprob } from '../engine.ts';
import type { Chance, Chances } from './measure-token.ts';
import type { Prepared } from './prepare-request.ts';
import type { Task } from './task.ts';
import type { Vocabulary } from './vocabulary.ts';

export type LogprobHolder = {
  /** What the scheduler has to measure. */
  wanted: Pick<Task, 'measuresAnswer' | 'promptMeter'>;
  add(chances: Chances): void;
  /** Gives the first delta the chances of the tokens that it came from, which may have been held back for a while. */
  attach(deltas: Delta[]): Delta[];
};

/** The chances of one choice's tokens, until there is a delta to send them with. */
export function createLogprobHolder(
  { logprobs: top, promptLogprobs: promptTop }: Pick<Prepared, 'logprobs' | 'promptLogprobs'>,
  words: Pick<Vocabulary, 'showToken'>,
  choice: number,
): LogprobHolder {
  if (top === undefined && promptTop === undefined) return NOTHING;
  let pending: PlacedLogprob[] = [];
  // The prompt is the same for all choices, so only the first one has it.
  let prompt: PlacedLogprob[] | undefined = choice === 0 && promptTop !== undefined ? [] : undefined;

  function place({ top: likeliest, ...chance }: Chances, count: number): PlacedLogprob {
    const placed: PlacedLogprob = show(chance);
    if (count > 0) placed.top_logprobs = likeliest.slice(0, count).map(show);
    return placed;
  }

  function show({ token, logprob }: Chance): TokenLogprob {
    return { ...words.showToken(token), logprob, token_id: token };
  }

  return {
    wanted: {
      ...(top === undefined ? {} : { measuresAnswer: true }),
      ...(prompt ? { promptMeter: { measured: 0, take: (found) => prompt?.push(place(found, promptTop ?? 0)) } } : {}),
    },
    add: (chances) => pending.push(place(chances, top ?? 0)),
    attach(deltas) {
      const first = deltas.find((delta) => delta.kind !== 'tool_call' && delta.kind !== 'usage');
      if (!first) return deltas;
      if (pending.length > 0) first.logprobs = pending;
      if (prompt) first.promptLogprobs = prompt;
      pending = [];
      prompt = undefined;
      return deltas;
    },
  };
}

const NOTHING: LogprobHolder = { wanted: {}, add: () => undefined, attach: (deltas) => deltas };
