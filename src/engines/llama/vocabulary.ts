import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Token } from 'node-llama-cpp';
import { createWordTree, type Word, type WordTree } from './guide/word-tree.ts';
import type { Native } from './native.ts';
import { readTokenBytes } from './output/token-bytes.ts';
import { cutText } from './prompt/cut-text.ts';
import type { Segment } from './prompt/shield-control-text.ts';

export type Vocabulary = {
  /**
   * A whole prompt, with the token that begins a text where the model wants one. Counting goes on for a while after
   * `tokensMax` and lets others be served meanwhile.
   */
  tokenize(segments: Segment[], tokensMax: number): Promise<number[]>;
  /** Text in which nothing is a control token. */
  tokenizePlain(text: string, tokensMax: number): Promise<number[]>;
  detokenize(tokens: number[], last: number[]): string;
  /** One token by itself, control tokens too, with the bytes of half a character. */
  showToken(token: number): { token: string; bytes: number[] };
  /** For texts of some words, in which nothing is a control token. */
  tokenizeShort(text: string): number[];
  /** The words that a grammar can be followed by. */
  tree(): WordTree;
  isEnd(token: number): boolean;
  endTokens: number[];
  bos: string;
  eos: string;
  controlTexts: string[];
  infill: { prefix: number; suffix: number; middle: number | undefined } | undefined;
};

/** After so long a turn of the event loop hands out what the others have got. */
const turnMs = 10;

/** Control tokens that are shown, because the answer is read by them. */
const SHOWN = /^(<\/?think>|<\/?tool_call>|\[\/?THINK\]|\[TOOL_CALLS\]|<\|python_tag\|>)$/;

/** Everything about words and tokens of one model; the vocabulary is walked once, here. */
export function readVocabulary({ model, entryOf }: Pick<Native, 'model' | 'entryOf'>): Vocabulary {
  const shown = new Map<number, string>();
  const controlTexts: string[] = [];
  const endTokens: number[] = [];
  const words: number[] = [];
  for (const token of model.iterateAllTokens()) {
    if (model.isEogToken(token)) endTokens.push(token);
    if (!model.getTokenAttributes(token).control) {
      words.push(token);
      continue;
    }
    const text = model.detokenize([token], true);
    controlTexts.push(text);
    if (SHOWN.test(text)) shown.set(token, text);
  }
  const { bos, infill, shouldPrependBosToken } = model.tokens;

  async function countOut(segments: Segment[], tokensMax: number, isBeginning: boolean): Promise<number[]> {
    const tokens: Token[] = [];
    let isFirst = isBeginning;
    let since = performance.now();
    for (const { text, isSpecial } of segments) {
      for (const slice of cutText(text, controlTexts)) {
        for (const token of model.tokenize(slice, isSpecial, isFirst ? undefined : 'trimLeadingSpace'))
          tokens.push(token);
        isFirst = false;
        if (tokens.length > tokensMax) return tokens;
        if (performance.now() - since < turnMs) continue;
        await nextTurn();
        since = performance.now();
      }
    }
    return tokens;
  }

  function wordOf(token: number): Word | undefined {
    const text = model.detokenize([token as Token], true, [token as Token]);
    if (!text.includes('\uFFFD')) return { text, bytes: [] };
    const bytes = readTokenBytes(entryOf(token));
    return bytes && splitHalf(bytes);
  }

  return {
    async tokenize(segments, tokensMax) {
      const tokens = await countOut(segments, tokensMax, true);
      return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
    },
    tokenizePlain: (text, tokensMax) => countOut([{ text, isSpecial: false }], tokensMax, false),
    tokenizeShort: (text) => model.tokenize(text, false, 'trimLeadingSpace'),
    tree: () => createWordTree(words, wordOf),
    detokenize(tokens, last) {
      const [only] = tokens;
      const text = tokens.length === 1 && only !== undefined ? shown.get(only) : undefined;
      return text ?? model.detokenize(tokens as Token[], false, last as Token[]);
    },
    showToken(token) {
      const text = model.detokenize([token as Token], true, [token as Token]);
      const bytes = text.includes('\uFFFD') ? readTokenBytes(entryOf(token)) : undefined;
      return { token: text, bytes: bytes ?? [...Buffer.from(text)] };
    },
    isEnd: (token) => model.isEogToken(token as Token),
    endTokens,
    bos: model.tokens.bosString ?? '',
    eos: model.tokens.eosString ?? '',
    controlTexts,
    infill:
      infill.prefix === null || infill.suffix === null
        ? undefined
        : { prefix: infill.prefix, suffix: infill.suffix, middle: infill.middle ?? undefined },
  };
}

/** The whole characters before the first byte of one that is not whole. */
function splitHalf(bytes: number[]): Word {
  const from = bytes.findIndex((byte) => byte > 0x7f);
  return { text: Buffer.from(bytes.slice(0, from)).toString(), bytes: bytes.slice(from) };
}
