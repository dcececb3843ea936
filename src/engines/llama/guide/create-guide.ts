import type { CharacterSet } from '../grammar/one-way/character-set.ts';
import { createFollower, type Follower, type Place } from './follow-grammar.ts';
import type { Word, WordTree } from './word-tree.ts';

/**
 * Knows where in its grammar an answer is. Where few tokens are left to choose from it names them, because llama.cpp would
 * compare the whole vocabulary with the grammar for that; where the text is settled it says what comes.
 */
export type Guide = {
  /** The only tokens that may come next, as far as they are few. */
  allowed(): number[] | undefined;
  /** What will come next, in the model's usual tokens. The model may cut the same text differently. */
  foresee(): number[];
  /** As many of these as the grammar allows one after the other. */
  cutToFit(tokens: number[]): number[];
  accept(token: number): void;
};

type GuideParts = {
  words: WordTree;
  tokenize(text: string): number[];
  isEnd(token: number): boolean;
  endTokens: number[];
};

const SETTLED_MAX = 96;
const HALVES_MAX = 16;
const FOLLOWERS_MAX = 64;
const GRAMMAR_CHARACTERS_MAX = 20_000;

/** Guides for the grammars of requests; clients send the same tools again and again. */
export function createGuides(parts: GuideParts): (gbnf: string) => Guide | undefined {
  const known = new Map<string, Follower>();
  return (gbnf) => {
    // This thread hands out the tokens of everybody; long grammars are followed by llama.cpp alone.
    if (gbnf.length > GRAMMAR_CHARACTERS_MAX) return undefined;
    const follower = known.get(gbnf) ?? createFollower(gbnf);
    known.delete(gbnf);
    known.set(gbnf, follower);
    const [oldest] = known.keys();
    if (known.size > FOLLOWERS_MAX && oldest !== undefined) known.delete(oldest);
    return createGuide(follower, parts);
  };
}

/** Undefined once the place is not known any more, which costs time and nothing else. */
type State = { place: Place; previous: string; halves: number[] } | undefined;

/** Whether the answer writes a space after a character where its grammar leaves that open, and, as '', after the last such one. */
type Habits = Map<string, boolean>;

function createGuide(follower: Follower, { words, tokenize, isEnd, endTokens }: GuideParts): Guide {
  const habits: Habits = new Map();
  let state: State = { place: follower.start, previous: '', halves: [] };

  return {
    allowed() {
      if (!state || state.halves.length > 0) return undefined;
      const found = words.tokensAt(follower, state.place);
      return found && follower.next(state.place).mayEnd ? [...found, ...endTokens] : found;
    },
    foresee() {
      if (!state || state.halves.length > 0) return [];
      const text = settledText(follower, state, habits);
      return text === '' ? [] : tokenize(text);
    },
    cutToFit(tokens) {
      let at = state;
      const misfit = tokens.findIndex((token) => {
        const word = words.wordOf(token);
        at = at && word && afterWord(at, word);
        return !at;
      });
      return misfit < 0 ? tokens : tokens.slice(0, misfit);
    },
    accept(token) {
      if (!state || isEnd(token)) return;
      const word = words.wordOf(token);
      state = word && afterWord(state, word, habits);
    },
  };

  function afterWord({ place, previous, halves }: NonNullable<State>, word: Word, noted?: Habits): State {
    if (halves.length === 0) return walk({ place, previous, halves: word.bytes }, word.text, noted);
    const bytes = [...halves, ...Buffer.from(word.text), ...word.bytes];
    const text = decode(bytes);
    // Bytes without a whole character wait for the next ones.
    if (text === undefined) return bytes.length > HALVES_MAX ? undefined : { place, previous, halves: bytes };
    return walk({ place, previous, halves: [] }, text, noted);
  }

  function walk(from: NonNullable<State>, text: string, noted: Habits | undefined): State {
    let { place, previous } = from;
    for (const character of text) {
      if (noted && MAY_BE_SPACED.has(previous) && isSpaceOpen(follower.next(place).characters)) {
        noted.set(previous, character === ' ');
        noted.set('', character === ' ');
      }
      const after = follower.advance(place, character.codePointAt(0) ?? 0);
      if (after === 'none') return undefined;
      place = after;
      previous = character;
    }
    return { place, previous, halves: from.halves };
  }
}

/** What a space may follow in JSON; elsewhere it is content. */
const MAY_BE_SPACED = new Set([',', ':', '{', '}', '[', ']', '"']);

function settledText(follower: Follower, from: NonNullable<State>, habits: Habits): string {
  let text = '';
  let { place, previous } = from;
  while (text.length < SETTLED_MAX) {
    const { characters, mayEnd } = follower.next(place);
    const code = mayEnd ? undefined : settledCode(characters, habits.get(previous) ?? habits.get('') ?? false);
    const after = code === undefined ? 'none' : follower.advance(place, code);
    if (code === undefined || after === 'none') break;
    previous = String.fromCodePoint(code);
    text += previous;
    place = after;
  }
  return text;
}

const SPACE = 0x20;

/** The only character that may come, or one of two where the other is a space. */
function settledCode(characters: CharacterSet, isSpaced: boolean): number | undefined {
  if (isSpaceOpen(characters)) return isSpaced ? SPACE : characters[2];
  return characters.length === 2 && characters[0] === characters[1] ? characters[0] : undefined;
}

function isSpaceOpen(characters: CharacterSet): boolean {
  const [first, last, other, end] = characters;
  return characters.length === 4 && first === SPACE && last === SPACE && other === end;
}

const strict = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: number[]): string | undefined {
  try {
    return strict.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
