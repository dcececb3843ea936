import { readFile } from 'node:fs/promises';
import { type EmbedModel, loadModel } from './model.ts';
import type { EmbedSettings } from './protocol.ts';
import { loadEncoder } from './sentence-encoder/load-encoder.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';
import { readSentencepiece } from './unigram/read-sentencepiece.ts';
import { createUnigramTokenizer } from './unigram/unigram-tokenizer.ts';

/** The model and its tokenizer, each by what its file is: an ONNX graph or a NumPy archive, JSON or SentencePiece. */
export async function openModel(settings: EmbedSettings): Promise<{ model: EmbedModel; tokenizer: Tokenizer }> {
  const { modelFile, tokenizerFile, threads, task } = settings;
  const file = await readFile(tokenizerFile);
  const isJson = file.toString('latin1', 0, 64).trimStart().startsWith('{');
  const tokenizer = isJson ? createTokenizer(file.toString()) : createUnigramTokenizer(readSentencepiece(file));
  const isArchive = modelFile.endsWith('.npz');
  const model = isArchive
    ? await loadEncoder(modelFile, threads)
    : await loadModel(modelFile, threads, tokenizer.padId, task);
  return { model, tokenizer };
}
