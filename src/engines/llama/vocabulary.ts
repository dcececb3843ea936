import type { LlamaModel, Token } from 'node-llama-cpp';
import type { Segment } from './prompt/shield-control-text.ts';

export type Vocabulary = {
  /** A whole prompt, with the token that begins a text where the model wants one. */
  tokenize(segments: Segment[]): number[];
  /** Text in which nothing is a control token. */
  tokenizePlain(text: string): number[];
  detokenize(tokens: number[], last: number[]): string;
  isEnd(token: number): boolean;
  endTokens: number[];
  bos: string;
  eos: string;
  controlTexts: string[];
  infill: { prefix: number; suffix: number; middle: number | undefined } | undefined;
};

/** Control tokens that are shown, because the answer is read by them. */
const SHOWN = /^(<\/?think>|<\/?tool_call>|\[\/?THINK\]|\[TOOL_CALLS\]|<\|python_tag\|>)$/;

/** Everything about words and tokens of one model; the vocabulary is walked once, here. */
export function readVocabulary(model: LlamaModel): Vocabulary {
  const shown = new Map<number, string>();
  const controlTexts: string[] = [];
  const endTokens: number[] = [];
  for (const token of model.iterateAllTokens()) {
    if (model.isEogToken(token)) endTokens.push(token);
    if (!model.getTokenAttributes(token).control) continue;
    const text = model.detokenize([token], true);
    controlTexts.push(text);
    if (SHOWN.test(text)) shown.set(token, text);
  }
  const { bos, infill, shouldPrependBosToken } = model.tokens;

  return {
    tokenize(segments) {
      const tokens = segments.flatMap(({ text, isSpecial }, index) =>
        model.tokenize(text, isSpecial, index === 0 ? undefined : 'trimLeadingSpace'),
      );
      return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
    },
    tokenizePlain: (text) => model.tokenize(text, false, 'trimLeadingSpace'),
    detokenize(tokens, last) {
      const [only] = tokens;
      const text = tokens.length === 1 && only !== undefined ? shown.get(only) : undefined;
      return text ?? model.detokenize(tokens as Token[], false, last as Token[]);
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
