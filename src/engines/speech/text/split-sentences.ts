import { isAbbreviation } from './abbreviations.ts';

/** How long a piece may be, in UTF-16 units. The first one is shorter, so that the first sound comes soon. */
export type Lengths = { longest: number; longestFirst: number };

/** Shorter sentences are spoken together with the next one: voices are poor at single words. */
const SHORTEST = 16;
/** Read beyond the longest piece, so that what follows a full stop can be seen. */
const LOOKAHEAD = 48;

const CLOSING = `["'”’»)\\]}」』】]*`;
const SENTENCE = `[.!?…؟۔।॥։።။។]+${CLOSING}(?=\\s|$)|[。！？｡]+${CLOSING}|\\n[^\\S\\n]*\\n|\\n(?=\\s*(?:[-*•–]|\\d{1,3}[.)])\\s)`;
const CLAUSE = '[,;:،؛—–]+(?=\\s|$)|[、，；：]';
const BREAKS = new RegExp(`(?<sentence>${SENTENCE})|(?<clause>${CLAUSE})|\\s`, 'gu');

/**
 * The text in pieces of a sentence or so, one at a time: however long it is, only one piece is held. A sentence that is
 * too long is cut at its last comma, else at a space, else where the length ends.
 */
export function* splitSentences(text: string, { longest, longestFirst }: Lengths): Generator<string, void> {
  let limit = longestFirst;
  for (let at = skipSpace(text, 0); at < text.length; limit = longest) {
    const end = at + lengthOfPiece(text.slice(at, at + limit + LOOKAHEAD), limit, at + limit >= text.length);
    yield text.slice(at, end);
    at = skipSpace(text, end);
  }
}

/** `window` begins where the piece does. `isLast` when all that is left would fit into the piece. */
function lengthOfPiece(window: string, limit: number, isLast: boolean): number {
  let sentence = 0;
  let clause = 0;
  let space = 0;
  for (const { 0: mark, index, groups } of window.matchAll(BREAKS)) {
    const end = index + mark.length;
    if (end > limit) break;
    if (groups?.sentence !== undefined) {
      if (mark.startsWith('.') && isAbbreviation(window, index)) continue;
      sentence = end;
      if (end >= SHORTEST) return end;
    } else if (groups?.clause !== undefined) clause = end;
    else space = end;
  }
  if (isLast) return Math.min(window.length, limit);
  // A comma right at the beginning would leave a stump.
  return sentence || (clause > limit / 3 ? clause : 0) || space || wholeCharacters(window, limit);
}

/** A cut that keeps a character and what belongs to it together. */
function wholeCharacters(window: string, limit: number): number {
  for (let end = limit; end > limit / 2; end--) {
    const follows = window.codePointAt(end);
    const isInside = isLowSurrogate(window, end) || (follows !== undefined && isMark(String.fromCodePoint(follows)));
    if (!isInside) return end;
  }
  return isLowSurrogate(window, limit) ? limit - 1 : limit;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isMark(character: string): boolean {
  return /[\p{M}\u200d]/u.test(character);
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(text) ? SPACE.lastIndex : at;
}

const SPACE = /\s+/y;
