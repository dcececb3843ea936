/** How many tokens are text. */
export const TEXT_TOKENS = 50_257;

type Script = {
  own: RegExp;
  /** Whether a token has letters of the script with which this one is confused. */
  isOther(bytes: Uint8Array): boolean;
};

/** Lead bytes of UTF-8, which stand nowhere else: Arabic has those from D8 to DB, Devanagari has E0. */
const devanagari: Script = {
  own: /\p{Script=Devanagari}/u,
  isOther: (bytes) => bytes.some((byte) => byte >= 0xd8 && byte <= 0xdb),
};
const arabic: Script = { own: /\p{Script=Arabic}/u, isOther: (bytes) => bytes.includes(0xe0) };

/** Hindi and Urdu sound alike, and the model, told one, often writes the letters of the other, or English. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  ...{ hi: devanagari, mr: devanagari, ne: devanagari, sa: devanagari },
  ...{ ur: arabic, ar: arabic, fa: arabic, ps: arabic, sd: arabic },
};

const isLatin = (byte: number) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

export type Letters = {
  /** Tokens that no text of the language has. */
  foreign: readonly number[];
  /** These and all Latin letters, for a text without any of its own. */
  allForeign(): readonly number[];
  /** A text of words, none of which is in the letters of the language. */
  areForeign(text: string): boolean;
};

const none: Letters = { foreign: [], allForeign: () => [], areForeign: () => false };

/** Which tokens a language is written with, where the model confuses it with another. */
export function createLetters(bytesOf: (token: number) => Uint8Array): (language: string) => Letters {
  const found = new Map<Script, Letters>();
  const tokensWith = (isMeant: (bytes: Uint8Array) => boolean) =>
    Array.from({ length: TEXT_TOKENS }, (_, token) => token).filter((token) => isMeant(bytesOf(token)));
  return (language) => {
    const script = SCRIPTS[language];
    if (!script) return none;
    let letters = found.get(script);
    if (!letters) {
      let all: readonly number[] | undefined;
      letters = {
        foreign: tokensWith(script.isOther),
        allForeign: () => (all ??= tokensWith((bytes) => script.isOther(bytes) || bytes.some(isLatin))),
        areForeign: (text) => /\p{L}{2}/u.test(text) && !script.own.test(text),
      };
      found.set(script, letters);
    }
    return letters;
  };
}
