import { readFields } from './read-protobuf.ts';

export type UnigramPiece = { text: Buffer; score: number };

/** What a unigram tokenizer is made from, whatever file it came in. */
export type UnigramModel = {
  /** By id; undefined for those that never match a text, such as marks. */
  pieces: (UnigramPiece | undefined)[];
  unknownId: number;
  beginId: number;
  endId: number;
  padId: number;
  /** SentencePiece's compiled table of replacements; empty for none. */
  charsmap: Buffer;
  addsPrefix: boolean;
  removesExtraSpaces: boolean;
};

const UNIGRAM = 1;
const NORMAL = 1;
const USER_DEFINED = 4;

/** Reads a SentencePiece model file (`sp.model`). */
export function readSentencepiece(file: Buffer): UnigramModel {
  const model: UnigramModel = {
    pieces: [],
    unknownId: 0,
    beginId: 1,
    endId: 2,
    padId: 0,
    charsmap: Buffer.alloc(0),
    addsPrefix: true,
    removesExtraSpaces: true,
  };
  for (const { number, bytes } of readFields(file)) {
    if (number === 1) model.pieces.push(readPiece(bytes));
    else if (number === 2) readTrainer(bytes, model);
    else if (number === 3) readNormalizer(bytes, model);
  }
  if (model.pieces.length === 0) throw new Error('The SentencePiece file has no pieces.');
  return model;
}

function readPiece(message: Buffer): UnigramPiece | undefined {
  let text: Buffer = Buffer.alloc(0);
  let [score, type] = [0, NORMAL];
  for (const { number, bytes, value } of readFields(message)) {
    if (number === 1) text = bytes;
    else if (number === 2) score = bytes.readFloatLE();
    else if (number === 3) type = value;
  }
  return (type === NORMAL || type === USER_DEFINED) && text.length > 0 ? { text, score } : undefined;
}

function readTrainer(message: Buffer, model: UnigramModel): void {
  for (const { number, value } of readFields(message)) {
    if (number === 3 && value !== UNIGRAM) throw new Error('Only SentencePiece models of the type unigram are known.');
    if (number === 40) model.unknownId = value;
    if (number === 41) model.beginId = value;
    if (number === 42) model.endId = value;
  }
}

function readNormalizer(message: Buffer, model: UnigramModel): void {
  for (const { number, bytes, value } of readFields(message)) {
    if (number === 2) model.charsmap = bytes;
    if (number === 3) model.addsPrefix = value === 1;
    if (number === 4) model.removesExtraSpaces = value === 1;
  }
}
