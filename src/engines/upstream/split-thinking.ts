const OPEN = '<think>';
const CLOSE = '</think>';
/** An answer that begins with more white space than this does not begin with a tag; holding it back costs ever more. */
const SPACE_CHARACTERS_MAX = 256;

/**
 * Models without a reasoning parser in front of them write their thoughts between tags at the very beginning.
 * `at` says where the text stands; `held` is what may yet turn out to be a tag.
 */
export type ThinkingState = { at: 'start' | 'thinking' | 'after' | 'text'; held: string };

export const startThinking = (): ThinkingState => ({ at: 'start', held: '' });

export type Piece = (kind: 'text' | 'thinking', text: string) => void;

export function splitThinking(state: ThinkingState, text: string, emit: Piece): void {
  let rest = state.held + text;
  state.held = '';
  if (state.at === 'start') {
    const trimmed = rest.trimStart();
    const isOpen = trimmed.length < OPEN.length && OPEN.startsWith(trimmed);
    if (isOpen && rest.length <= SPACE_CHARACTERS_MAX) {
      state.held = rest;
      return;
    }
    if (!trimmed.startsWith(OPEN)) {
      state.at = 'text';
    } else {
      state.at = 'thinking';
      rest = trimmed.slice(OPEN.length);
    }
  }
  if (state.at === 'thinking') {
    const end = rest.indexOf(CLOSE);
    if (end === -1) {
      const kept = partialTail(rest);
      if (kept < rest.length) emit('thinking', rest.slice(0, rest.length - kept));
      state.held = kept > 0 ? rest.slice(-kept) : '';
      return;
    }
    if (end > 0) emit('thinking', rest.slice(0, end));
    state.at = 'after';
    rest = rest.slice(end + CLOSE.length);
  }
  if (state.at === 'after') {
    // The line breaks between the thoughts and the answer belong to neither.
    rest = rest.trimStart();
    if (rest === '') return;
    state.at = 'text';
  }
  if (rest !== '') emit('text', rest);
}

/** What was held back comes out when nothing more can complete a tag. */
export function endThinking(state: ThinkingState, emit: Piece): void {
  if (state.held !== '') emit(state.at === 'thinking' ? 'thinking' : 'text', state.held);
  state.held = '';
}

/** How many characters at the end may be the beginning of the closing tag. */
function partialTail(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
