import { countCharacters, type Follower, includes, type Place } from './follow-grammar.ts';

/** What a token adds to an answer: `bytes` are those of a character that the next tokens complete. */
export type Word = { text: string; bytes: number[] };

/** The words of a vocabulary by their characters. */
export type WordTree = {
  /** The tokens that may come at a place, without those that end an answer; undefined where they are too many. */
  tokensAt(follower: Follower, place: Place): number[] | undefined;
  wordOf(token: number): Word | undefined;
};

/** `halves` are the tokens that go on from here with a part of a character. */
type Node = { tokens: number[]; halves: number[]; next: Map<number, Node> };

/** Where more characters may come next, as in strings, most of what the model would choose is allowed anyway. */
const CHARACTERS_MAX = 24;
/** Looking at a character and comparing it with a range are about as dear: grammars of clients decide how many there are. */
const EFFORT_MAX = 2000;
const TOKENS_MAX = 256;
const ASCII_LAST = 0x7f;

/** `wordOf` gives nothing for tokens that are no text, such as control tokens. */
export function createWordTree(tokens: Iterable<number>, wordOf: (token: number) => Word | undefined): WordTree {
  const root = createNode();
  const words = new Map<number, Word>();
  for (const token of tokens) {
    const word = wordOf(token);
    if (!word || (word.text === '' && word.bytes.length === 0)) continue;
    words.set(token, word);
    let node = root;
    for (const character of word.text) node = childOf(node, character.codePointAt(0) ?? 0);
    (word.bytes.length > 0 ? node.halves : node.tokens).push(token);
  }

  return {
    wordOf: (token) => words.get(token),
    tokensAt(follower, place) {
      if (countCharacters(follower.next(place).characters) > CHARACTERS_MAX) return undefined;
      const found: number[] = [];
      let effort = 0;
      const walk = (node: Node, at: Place): boolean => {
        const { characters } = follower.next(at);
        if ((characters.at(-1) ?? 0) > ASCII_LAST) found.push(...node.halves);
        effort += characters.length;
        const isNarrow = countCharacters(characters) <= node.next.size;
        for (const code of isNarrow ? listCodes(characters) : node.next.keys()) {
          if (++effort > EFFORT_MAX) return false;
          const child = node.next.get(code);
          if (!child || !includes(characters, code)) continue;
          const after = follower.advance(at, code);
          if (after === 'none') continue;
          found.push(...child.tokens);
          if (found.length > TOKENS_MAX || !walk(child, after)) return false;
        }
        return true;
      };
      return walk(root, place) ? found : undefined;
    },
  };
}

function createNode(): Node {
  return { tokens: [], halves: [], next: new Map() };
}

function childOf(node: Node, code: number): Node {
  const known = node.next.get(code);
  if (known) return known;
  const made = createNode();
  node.next.set(code, made);
  return made;
}

function listCodes(set: readonly number[]): number[] {
  const codes: number[] = [];
  for (let i = 0; i < set.length; i += 2)
    for (let code = set[i] ?? 0; code <= (set[i + 1] ?? -1); code++) codes.push(code);
  return codes;
}
