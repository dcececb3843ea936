import { z } from 'zod';
import { splitText } from './split-text.ts';

export type Tokenizer = {
  /** The ids of a text, without the marks at its beginning and end. */
  encode(text: string): number[];
  beginId: number;
  endId: number;
  padId: number;
};

/** The part of a `tokenizer.json` that a BERT tokenizer is made from. */
const TokenizerFile = z.object({
  added_tokens: z.array(z.object({ id: z.int(), content: z.string() })),
  normalizer: z.object({ type: z.literal('BertNormalizer'), lowercase: z.boolean() }),
  model: z.object({
    unk_token: z.string(),
    continuing_subword_prefix: z.string(),
    max_input_chars_per_word: z.int(),
    vocab: z.record(z.string(), z.int()),
  }),
});

/** WordPiece for BERT, cased or not, from the text of its `tokenizer.json`. */
export function createTokenizer(json: string): Tokenizer {
  const { added_tokens, normalizer, model } = TokenizerFile.parse(JSON.parse(json));
  const vocabulary = new Map(Object.entries(model.vocab));
  const prefix = model.continuing_subword_prefix;
  const longest = [...vocabulary.keys()].reduce((most, piece) => Math.max(most, piece.length), 0);
  const idOf = (token: string) => {
    const id = vocabulary.get(token);
    if (id === undefined) throw new Error(`The vocabulary lacks ${token}.`);
    return id;
  };
  const unknownId = idOf(model.unk_token);
  // The marks count as such wherever they stand in a text, in exactly this spelling.
  const marks = new Map(added_tokens.map(({ content, id }) => [content, id]));
  const markPattern = new RegExp(`(${[...marks.keys()].map(escapePattern).join('|')})`);

  // The longest piece that fits, again and again; a word with a rest that fits nowhere is unknown as a whole.
  function encodeWord(word: string, ids: number[]): void {
    const before = ids.length;
    if (lengthOf(word) > model.max_input_chars_per_word) {
      ids.push(unknownId);
      return;
    }
    for (let start = 0; start < word.length; ) {
      let end = Math.min(word.length, start + longest);
      let id: number | undefined;
      for (; end > start; end--) {
        id = vocabulary.get(start === 0 ? word.slice(0, end) : prefix + word.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) {
        ids.length = before;
        ids.push(unknownId);
        return;
      }
      ids.push(id);
      start = end;
    }
  }

  return {
    encode(text) {
      const ids: number[] = [];
      for (const piece of text.split(markPattern)) {
        const mark = marks.get(piece);
        if (mark !== undefined) ids.push(mark);
        else for (const word of splitText(piece, !normalizer.lowercase)) encodeWord(word, ids);
      }
      return ids;
    },
    beginId: idOf('[CLS]'),
    endId: idOf('[SEP]'),
    padId: idOf('[PAD]'),
  };
}

/** In characters, not in UTF-16 units; counted only where the two could differ in what follows. */
function lengthOf(word: string): number {
  return word.length <= 100 ? word.length : Array.from(word).length;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
