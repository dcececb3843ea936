import type { UnigramPiece } from './read-sentencepiece.ts';

const EMPTY = -1;

/** The pieces as a trie over bytes, in a few flat arrays: objects for half a million nodes would take 100 MB. */
export type PieceTrie = {
  /** The node after `byte`, or -1. The root is 0. */
  next(node: number, byte: number): number;
  /** The piece that ends at a node, or -1. */
  pieceAt(node: number): number;
};

export function createPieceTrie(pieces: readonly (UnigramPiece | undefined)[]): PieceTrie {
  const edgesMax = pieces.reduce((sum, piece) => sum + (piece?.text.length ?? 0), 0);
  // Edges by open addressing. Pieces share beginnings, so most slots stay free and a search stops soon.
  const slots = 2 ** Math.ceil(Math.log2(edgesMax + 2));
  const mask = slots - 1;
  const keys = new Int32Array(slots).fill(EMPTY);
  const targets = new Int32Array(slots);
  const pieceOf = new Int32Array(edgesMax + 1).fill(EMPTY);
  let nodes = 1;

  const slotOf = (key: number) => {
    let slot = (Math.imul(key, 0x9e37_79b1) >>> 7) & mask;
    while (keys[slot] !== EMPTY && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  };
  for (const [id, piece] of pieces.entries()) {
    if (!piece) continue;
    let node = 0;
    for (const byte of piece.text) {
      const slot = slotOf(node * 256 + byte);
      if (keys[slot] === EMPTY) {
        keys[slot] = node * 256 + byte;
        targets[slot] = nodes++;
      }
      node = targets[slot] as number;
    }
    pieceOf[node] = id;
  }
  return {
    next(node, byte) {
      const slot = slotOf(node * 256 + byte);
      return keys[slot] === EMPTY ? EMPTY : (targets[slot] as number);
    },
    pieceAt: (node) => pieceOf[node] as number,
  };
}
