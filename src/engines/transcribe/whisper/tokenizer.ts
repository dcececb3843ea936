import { LANGUAGES } from './languages.ts';
import { createLetters, type Letters, TEXT_TOKENS } from './letters.ts';

/** Tokens that are no text. They follow those of the vocabulary. */
export const END = TEXT_TOKENS;
export const START = 50_258;
export const FIRST_LANGUAGE = START + 1;
export const TRANSCRIBE = 50_359;
export const PREVIOUS = 50_361;
export const NO_SPEECH = 50_362;
export const NO_TIMES = 50_363;
export const FIRST_TIME = 50_364;
export const VOCABULARY = 51_865;
/** Of one step of the time tokens. */
export const TIME_SECONDS = 0.02;

/** Brackets, notes and other signs that stand for no words; also what OpenAI's own decoder never writes. */
export const SUPPRESSED = [
  1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503, 522, 542, 873, 893,
  902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536, 3846, 3961, 4183, 4667, 6585, 6647, 7273,
  9061, 9383, 10_428, 10_929, 11_938, 12_033, 12_331, 12_562, 13_793, 14_157, 14_635, 15_265, 15_618, 16_553, 16_604,
  18_362, 18_956, 20_075, 21_675, 22_520, 26_130, 26_161, 26_435, 28_279, 29_464, 31_650, 32_302, 32_470, 36_865,
  42_863, 47_425, 49_870, 50_254, 50_258, 50_358, 50_359, 50_360, 50_361, 50_362,
];
/** A space alone. */
export const BLANK = 220;

export type Tokenizer = {
  /** The bytes of text tokens; others have none. */
  bytesOf(token: number): Uint8Array;
  decode(tokens: readonly number[]): string;
  encode(text: string): number[];
  /** Which tokens a language is written with. */
  lettersOf(language: string): Letters;
};

type TokenizerFile = { model: { vocab: Record<string, number>; merges: (string | [string, string])[] } };

const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** The byte-level BPE of GPT-2, as in the file `tokenizer.json`. */
export function createTokenizer(json: string): Tokenizer {
  const { vocab, merges } = (JSON.parse(json) as TokenizerFile).model;
  const { toByte, toSign } = byteSigns();
  const pieces: Uint8Array[] = [];
  for (const [text, id] of Object.entries(vocab))
    if (id < END) pieces[id] = Uint8Array.from(text, (sign) => toByte.get(sign) ?? 0);
  const ranks = new Map(merges.map((pair, rank) => [typeof pair === 'string' ? pair : pair.join(' '), rank]));
  const empty = new Uint8Array();
  const bytesOf = (token: number) => (token < END ? (pieces[token] ?? empty) : empty);

  function merge(signs: string[]): string[] {
    for (;;) {
      let best = -1;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let i = 0; i + 1 < signs.length; i++) {
        const rank = ranks.get(`${signs[i]} ${signs[i + 1]}`);
        if (rank !== undefined && rank < bestRank) [best, bestRank] = [i, rank];
      }
      if (best < 0) return signs;
      signs.splice(best, 2, `${signs[best]}${signs[best + 1]}`);
    }
  }

  return {
    bytesOf,
    lettersOf: createLetters(bytesOf),
    decode: (tokens) => Buffer.concat(tokens.map(bytesOf)).toString('utf8'),
    encode: (text) =>
      (text.match(PIECES) ?? []).flatMap((piece) =>
        merge([...Buffer.from(piece)].map((byte) => toSign[byte] as string)).flatMap((part) => vocab[part] ?? []),
      ),
  };
}

/** Bytes are written as printable signs in the vocabulary. */
function byteSigns(): { toByte: Map<string, number>; toSign: string[] } {
  const isPrintable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let extra = 0;
  const toSign = Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isPrintable(byte) ? byte : 256 + extra++),
  );
  return { toSign, toByte: new Map(toSign.map((sign, byte) => [sign, byte])) };
}

export function languageToken(code: string): number {
  return FIRST_LANGUAGE + LANGUAGES.indexOf(code);
}
