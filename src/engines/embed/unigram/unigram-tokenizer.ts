import type { Tokenizer } from '../tokenizer.ts';
import { createNormalizer, lengthOfCharacter } from './normalize-text.ts';
import { createPieceTrie } from './piece-trie.ts';
import type { UnigramModel } from './read-sentencepiece.ts';

/** How much less likely a character outside of the vocabulary is than the rarest piece. */
const UNKNOWN_PENALTY = 10;

/** SentencePiece's unigram model: of all ways to cut a text into pieces, the most likely one. */
export function createUnigramTokenizer(model: UnigramModel): Tokenizer {
  const { pieces, unknownId, beginId, endId, padId } = model;
  const normalize = createNormalizer(model);
  const trie = createPieceTrie(pieces);
  const scores = Float64Array.from(pieces, (piece) => piece?.score ?? 0);
  const unknownScore = pieces.reduce((least, piece) => Math.min(least, piece?.score ?? 0), 0) - UNKNOWN_PENALTY;

  return {
    beginId,
    endId,
    padId,
    encode(text) {
      const bytes = normalize(text);
      // For each end of a piece: the best score up to there, that last piece and where it begins.
      const best = new Float64Array(bytes.length + 1).fill(Number.NEGATIVE_INFINITY);
      const last = new Int32Array(bytes.length + 1);
      const starts = new Int32Array(bytes.length + 1);
      best[0] = 0;
      const offer = (start: number, end: number, id: number, score: number) => {
        if (score <= (best[end] as number)) return;
        best[end] = score;
        last[end] = id;
        starts[end] = start;
      };
      for (let start = 0; start < bytes.length; ) {
        const before = best[start] as number;
        const character = lengthOfCharacter(bytes[start] as number);
        let isKnown = false;
        for (let end = start, node = 0; end < bytes.length; ) {
          node = trie.next(node, bytes[end++] as number);
          if (node < 0) break;
          const id = trie.pieceAt(node);
          if (id < 0) continue;
          offer(start, end, id, before + (scores[id] as number));
          isKnown ||= end === start + character;
        }
        if (!isKnown) offer(start, start + character, unknownId, before + unknownScore);
        start += character;
      }
      return trace(bytes.length, last, starts, unknownId);
    },
  };
}

/** From the end back to the beginning. A run of unknown characters is one token. */
function trace(length: number, last: Int32Array, starts: Int32Array, unknownId: number): number[] {
  const ids: number[] = [];
  for (let end = length; end > 0; end = starts[end] as number) {
    const id = last[end] as number;
    if (id !== unknownId || ids.at(-1) !== unknownId) ids.push(id);
  }
  return ids.reverse();
}
