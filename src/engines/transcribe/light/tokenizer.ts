type TokenizerFile = { model: { vocab: Record<string, number> } };

const SPACE = '\u2581';
const BYTE = /^<0x([0-9A-F]{2})>$/;

export type LightTokenizer = {
  /** Whether a word begins with this token. */
  isWordStart(token: number): boolean;
  decode(tokens: readonly number[]): string;
};

/** The vocabulary of Llama 2, as in the file `tokenizer.json`. Only for reading: the model is told nothing. */
export function createLightTokenizer(json: string): LightTokenizer {
  const pieces: string[] = [];
  for (const [piece, id] of Object.entries((JSON.parse(json) as TokenizerFile).model.vocab)) pieces[id] = piece;
  const bytesOf = (token: number): Uint8Array => {
    const piece = pieces[token] ?? '';
    const byte = BYTE.exec(piece)?.[1];
    return byte === undefined ? Buffer.from(piece.replaceAll(SPACE, ' ')) : Uint8Array.of(Number.parseInt(byte, 16));
  };
  return {
    isWordStart: (token) => pieces[token]?.startsWith(SPACE) === true,
    decode: (tokens) => Buffer.concat(tokens.map(bytesOf)).toString('utf8'),
  };
}
