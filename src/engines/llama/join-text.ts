import type { Delta } from '../engine.ts';

/** Joins neighbouring pieces of text, so that a slow reader costs no more memory than the text itself. */
export function joinText(last: Delta, delta: Delta): Delta | undefined {
  if (!isText(last) || !isText(delta) || last.kind !== delta.kind || last.choice !== delta.choice) return undefined;
  return { ...last, text: last.text + delta.text };
}

function isText(delta: Delta): delta is Extract<Delta, { text: string }> {
  return delta.kind === 'text' || delta.kind === 'thinking';
}
