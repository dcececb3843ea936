import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { batchWindows, encodeText, type Window } from '../../../src/engines/embed/plan-batches.ts';
import { createTokenizer } from '../../../src/engines/embed/tokenizer.ts';
import { answer } from './answer.ts';

// The baseline: onnxruntime on prepared tensors, in the same batches; its results are discarded.
const [modelFile = '', tokenizerFile = '', threads = '1'] = process.argv.slice(2);
const tokenizer = createTokenizer(readFileSync(tokenizerFile, 'utf8'));
const session = await InferenceSession.create(modelFile, { intraOpNumThreads: Number(threads), interOpNumThreads: 1 });

answer({
  /** Texts per second. */
  async embed(texts: string[]): Promise<number> {
    const windows: Window[] = [];
    for (const [index, text] of texts.entries()) encodeText(text, index, tokenizer, windows);
    const feeds = batchWindows(windows).map((batch) => feedsOf(batch.map(({ ids }) => ids)));
    const startedAt = performance.now();
    for (const feed of feeds) await session.run(feed);
    return (texts.length / (performance.now() - startedAt)) * 1000;
  },
});

function feedsOf(rows: number[][]): Record<string, Tensor> {
  const length = Math.max(...rows.map((ids) => ids.length));
  const tensorOf = (value: (ids: number[], column: number) => number) => {
    const values = rows.flatMap((ids) => Array.from({ length }, (_, column) => BigInt(value(ids, column))));
    return new Tensor('int64', BigInt64Array.from(values), [rows.length, length]);
  };
  return {
    input_ids: tensorOf((ids, column) => ids[column] ?? tokenizer.padId),
    attention_mask: tensorOf((ids, column) => (column < ids.length ? 1 : 0)),
    ...(session.inputNames.includes('token_type_ids') ? { token_type_ids: tensorOf(() => 0) } : {}),
  };
}
