import { partialMatchLength } from './hold-stops.ts';

type Parts = { thinking: string; answer: string };

export type ThinkingSplitter = { push(text: string): Parts; flush(): Parts; isThinking(): boolean };

const TAGS: [open: string, close: string][] = [
  ['<think>', '</think>'],
  ['[THINK]', '[/THINK]'],
];
const OPENINGS = TAGS.map(([open]) => open);

/**
 * Tells the thoughts at the beginning of an answer from the answer. A tag further on is text: an answer may speak
 * of such tags. `startsThinking` is for templates that end in the opening tag.
 */
export function createThinkingSplitter(startsThinking: boolean): ThinkingSplitter {
  let phase: 'start' | 'thinking' | 'trim' | 'answer' = startsThinking ? 'thinking' : 'start';
  let closings = TAGS.map(([, close]) => close);
  let held = '';
  let thought = false;

  function advance(): Parts {
    const parts: Parts = { thinking: '', answer: '' };
    if (phase === 'start') {
      const text = held.trimStart();
      const tag = TAGS.find(([open]) => text.startsWith(open));
      if (tag) {
        phase = 'thinking';
        closings = [tag[1]];
        held = text.slice(tag[0].length);
      } else if (text !== '' && !OPENINGS.some((open) => open.startsWith(text))) phase = 'answer';
    }
    if (phase === 'thinking') {
      if (!thought) held = held.trimStart();
      const close = closings.find((tag) => held.includes(tag));
      const end = close === undefined ? held.length - partialMatchLength(held, closings) : held.indexOf(close);
      parts.thinking = held.slice(0, end);
      held = held.slice(end + (close?.length ?? 0));
      thought ||= parts.thinking !== '';
      if (close !== undefined) phase = 'trim';
    }
    if (phase === 'trim') {
      held = held.trimStart();
      if (held !== '') phase = 'answer';
    }
    if (phase === 'answer') {
      parts.answer = held;
      held = '';
    }
    return parts;
  }

  return {
    push(text) {
      held += text;
      return advance();
    },
    flush() {
      const rest = held;
      held = '';
      return phase === 'thinking' ? { thinking: rest, answer: '' } : { thinking: '', answer: rest };
    },
    isThinking: () => phase === 'thinking',
  };
}
