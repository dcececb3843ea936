import type { Delta } from '../engine.ts';

/** Neighbouring pieces of text as one: a reader who falls behind costs the length of the answer and no more. */
export function joinText(last: Delta, delta: Delta): Delta | undefined {
  if (!isText(last) || !isText(delta) || last.kind !== delta.kind || last.choice !== delta.choice) return undefined;
  return { ...last, text: last.text + delta.text };
}

function isText(delta: Delta): delta is Extract<Delta, { text: string }> {
  return delta.kind === 'text' || delta.kind === 'thinking';
}
