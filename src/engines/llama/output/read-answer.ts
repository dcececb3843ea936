import type { EngineToolCall, FinishReason } from '../../engine.ts';
import { createStopHolder, partialMatchLength } from './hold-stops.ts';
import { CALL_MARKERS, mayBecomeCall, parseToolCalls } from './parse-tool-calls.ts';
import { createThinkingSplitter } from './split-thinking.ts';

export type Piece = { kind: 'text' | 'thinking'; text: string } | { kind: 'tool_call'; call: EngineToolCall };

export type AnswerOptions = {
  /** `calls`: nothing but calls; `either`: text, calls, or calls after text; `text`: no call is looked for. */
  mode: 'text' | 'either' | 'calls';
  toolNames: string[];
  /** Whether more than one call is kept. */
  parallel: boolean;
  stop: string[];
  startsThinking: boolean;
  createCallId: () => string;
};

export type AnswerReader = {
  /** Stop strings do not count while `mayStop` is false, which it never becomes again. */
  push(text: string, mayStop?: boolean): { pieces: Piece[]; stopped: boolean };
  /** `cut` is set when the model did not end by itself. */
  end(cut?: 'length' | 'model_length'): { pieces: Piece[]; finish: FinishReason };
  isThinking(): boolean;
};

/**
 * The model's text as thoughts, answer and calls. Stop strings count in the answer only: inside a call they would
 * break its JSON. A call appears when it is whole, so nothing of a call that was cut is ever shown.
 */
export function createAnswerReader(options: AnswerOptions): AnswerReader {
  const thinking = createThinkingSplitter(options.startsThinking);
  const stops = createStopHolder(options.stop);
  let phase: 'undecided' | 'text' | 'call' = options.mode === 'text' ? 'text' : 'undecided';
  let held = options.mode === 'calls' ? beginCall() : '';
  let mayStop = true;

  function beginCall(): string {
    phase = 'call';
    return '';
  }

  function show(text: string): { text: string; stopped: boolean } {
    return mayStop ? stops.push(text) : { text, stopped: false };
  }

  function readAnswer(text: string): { text: string; stopped: boolean } {
    if (options.mode === 'text') return show(text);
    held += text;
    if (phase === 'undecided' && !mayBecomeCall(held)) phase = 'text';
    if (phase !== 'text') return { text: '', stopped: false };
    const marker = CALL_MARKERS.map((word) => held.indexOf(word)).filter((place) => place >= 0);
    const end = marker.length > 0 ? Math.min(...marker) : held.length - partialMatchLength(held, CALL_MARKERS);
    const shown = held.slice(0, end);
    held = held.slice(end);
    if (marker.length > 0) phase = 'call';
    return show(shown);
  }

  return {
    push(text, stopsCount = true) {
      mayStop = stopsCount;
      const parts = thinking.push(text);
      const answer = readAnswer(parts.answer);
      return { pieces: pieces(parts.thinking, answer.text), stopped: answer.stopped };
    },
    end(cut) {
      const parts = thinking.flush();
      const answer = readAnswer(parts.answer);
      const calls = phase === 'text' ? undefined : parseToolCalls(held, options.toolNames);
      if (calls && cut === undefined) {
        const kept = options.parallel ? calls : calls.slice(0, 1);
        return {
          pieces: [
            ...pieces(parts.thinking, answer.text + stops.flush()),
            ...kept.map((call): Piece => ({ kind: 'tool_call', call: { id: options.createCallId(), ...call } })),
          ],
          finish: 'tool_calls',
        };
      }
      // What began as a call and was cut is no answer either; what only looked like one is.
      const isBrokenCall = cut === undefined ? options.mode === 'calls' : phase !== 'text';
      const last = isBrokenCall ? { text: '', stopped: false } : show(held);
      const shown = answer.text + last.text + (last.stopped ? '' : stops.flush());
      return { pieces: pieces(parts.thinking, shown), finish: cut ?? (isBrokenCall ? 'error' : 'stop') };
    },
    isThinking: () => thinking.isThinking(),
  };
}

function pieces(thought: string, answer: string): Piece[] {
  const list: Piece[] = [];
  if (thought !== '') list.push({ kind: 'thinking', text: thought });
  if (answer !== '') list.push({ kind: 'text', text: answer });
  return list;
}
