import type { CharacterSet } from '../grammar/one-way/character-set.ts';
import { countCharacters, type Follower, type Place } from './follow-grammar.ts';

/** What a token adds to an answer: `bytes` are those of a character that the next tokens complete. */
export type Word = { text: string; bytes: number[] };

/** The words of a vocabulary by their characters. */
export type WordTree = {
  /** The tokens that may come at a place, without those that end an answer; undefined where they are too many. */
  tokensAt(follower: Follower, place: Place): number[] | undefined;
  wordOf(token: number): Word | undefined;
};

/** Where more characters may come next, as in strings, most of what the model would choose is allowed anyway. */
const CHARACTERS_MAX = 24;
/** Looking at a character and comparing it with a range are about as dear: grammars of clients decide how many there are. */
const EFFORT_MAX = 2000;
const TOKENS_MAX = 256;
const ASCII_LAST = 0x7f;

/** A word, or what stands before its first character that is not whole or not of the basic plane. */
type Entry = { text: string; token: number; isWhole: boolean };

/** `wordOf` gives nothing for tokens that are no text, such as control tokens. */
export function createWordTree(tokens: Iterable<number>, wordOf: (token: number) => Word | undefined): WordTree {
  const words = new Map<number, Word>();
  const entries: Entry[] = [];
  for (const token of tokens) {
    const word = wordOf(token);
    if (!word || (word.text === '' && word.bytes.length === 0)) continue;
    words.set(token, word);
    const end = word.text.search(/[\uD800-\uFFFF]/);
    entries.push({
      text: end < 0 ? word.text : word.text.slice(0, end),
      token,
      isWhole: end < 0 && word.bytes.length === 0,
    });
  }
  // A tree as a sorted list: the words that begin alike stand together, and a tree of objects would take tens of megabytes.
  entries.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));

  /** The first entry from `low` on whose character at `depth` is not below a code. */
  function find(low: number, high: number, depth: number, code: number): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((entries[middle]?.text.charCodeAt(depth) ?? 0) < code) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return {
    wordOf: (token) => words.get(token),
    tokensAt(follower, place) {
      if (countCharacters(follower.next(place).characters) > CHARACTERS_MAX) return undefined;
      const found: number[] = [];
      let effort = 0;
      /** The entries from `low` to `high` begin with the same `depth` characters, which lead to `at`. */
      const walk = (low: number, high: number, depth: number, at: Place): boolean => {
        const { characters } = follower.next(at);
        effort += characters.length;
        let from = low;
        for (let entry = entries[from]; from < high && entry?.text.length === depth; entry = entries[++from])
          if (entry.isWhole || (characters.at(-1) ?? 0) > ASCII_LAST) found.push(entry.token);
        while (from < high) {
          if (++effort > EFFORT_MAX || found.length > TOKENS_MAX) return false;
          const code = firstFrom(characters, entries[from]?.text.charCodeAt(depth) ?? 0);
          if (code === undefined) break;
          from = find(from, high, depth, code);
          if (from >= high || entries[from]?.text.charCodeAt(depth) !== code) continue;
          const end = find(from, high, depth, code + 1);
          const after = follower.advance(at, code);
          if (after !== 'none' && !walk(from, end, depth + 1, after)) return false;
          from = end;
        }
        return true;
      };
      return walk(0, entries.length, 0, place) && found.length <= TOKENS_MAX ? found : undefined;
    },
  };
}

/** The first character of a set that is not below a code. */
function firstFrom(set: CharacterSet, code: number): number | undefined {
  for (let i = 0; i < set.length; i += 2) if ((set[i + 1] ?? 0) >= code) return Math.max(code, set[i] ?? 0);
  return undefined;
}
