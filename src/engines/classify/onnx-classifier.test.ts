import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { createLog } from '../../kit/base/log.ts';
import { writeOnnx } from '../embed/sentence-encoder/write-onnx.ts';
import type { Engine } from '../engine.ts';
import { missingPackages } from '../optional-packages.ts';
import { findClassifierFiles } from './find-files.ts';
import { createOnnxClassifier } from './onnx-classifier.ts';

const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'good', 'bad', 'the', 'film'];
const never = new AbortController().signal;

/** Each word has two numbers, and those of a text are added up: good ones for the second label. */
function writeModel(folder: string, more: object = {}): string {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const table = new Float32Array(WORDS.length * 2);
  table.set([-2, 2], WORDS.indexOf('good') * 2);
  table.set([2, -2], WORDS.indexOf('bad') * 2);
  const graph = writeOnnx({
    inputs: [
      { name: 'input_ids', type: 'int64', shape: ['batch', 'length'] },
      { name: 'attention_mask', type: 'int64', shape: ['batch', 'length'] },
    ],
    constants: [
      { name: 'table', shape: [WORDS.length, 2], values: table },
      { name: 'axes', shape: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { op: 'Gather', inputs: ['table', 'input_ids'], output: 'words' },
      { op: 'ReduceSum', inputs: ['words', 'axes'], output: 'logits', attributes: { keepdims: 0 } },
    ],
    output: { name: 'logits', type: 'float32', shape: ['batch', 2] },
  });
  writeFileSync(join(folder, 'onnx', 'model.onnx'), graph);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ id2label: { 0: 'NEGATIVE', 1: 'POSITIVE' }, ...more }));
  writeFileSync(
    join(folder, 'tokenizer.json'),
    JSON.stringify({
      added_tokens: WORDS.slice(0, 4).map((content, id) => ({ id, content })),
      normalizer: { type: 'BertNormalizer', lowercase: true },
      model: {
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
      },
    }),
  );
  return folder;
}

function open(folder: string): Engine {
  const [modelFile = '', tokenizerFile = '', configFile = ''] = findClassifierFiles(folder) ?? [];
  return createOnnxClassifier({ modelFile, tokenizerFile, configFile, threads: 1, log: createLog('silent') });
}

describe.skipIf(missingPackages('onnx').length > 0)('a classifier from an ONNX file', { timeout: 60_000 }, () => {
  let engine: Engine;
  beforeAll(() => {
    engine = open(writeModel(join(temporaryDir(), 'model')));
  });
  afterAll(() => engine.close());
  const scoresOf = async (...texts: string[]) =>
    (await engine.classify?.(texts, never))?.results.map(({ label }) => label) ?? [];

  it('has the labels of its config.json, in the order of the texts, whatever is in a batch with them', async () => {
    const [good, bad, neither] = await scoresOf('The film: GOOD', 'bad bad film', 'film');
    expect(good).toEqual({ NEGATIVE: 0.017986, POSITIVE: 0.982014 });
    expect(bad?.NEGATIVE).toBeGreaterThan(0.99);
    expect(neither).toEqual({ NEGATIVE: 0.5, POSITIVE: 0.5 });
    expect(await scoresOf('the film: good')).toEqual([good]);
  });

  it('scores a text beyond its window by the mean over its windows, and counts its tokens', async () => {
    const long = `${'the film '.repeat(300)} good`;
    const [scores] = await scoresOf(long);
    expect(scores?.POSITIVE).toBeGreaterThan(0.5);
    expect(scores?.POSITIVE).toBeLessThan(0.98);
    const used: number[] = [];
    const tally = { add: ({ promptTokens }: { promptTokens: number }) => void used.push(promptTokens) };
    await engine.classify?.(['the film'], never, tally as never);
    expect(used).toEqual([4]);
  });

  it('with several labels at once scores each of them for itself', async () => {
    const several = open(writeModel(join(temporaryDir(), 'model'), { problem_type: 'multi_label_classification' }));
    const { results } = (await several.classify?.(['good'], never)) ?? { results: [] };
    expect(results[0]?.label).toEqual({ NEGATIVE: 0.119203, POSITIVE: 0.880797 });
    await several.close();
  });

  it('is not an embedding model, and names of labels must fit its outputs', async () => {
    expect(engine.embed).toBeUndefined();
    const wrong = open(writeModel(join(temporaryDir(), 'model'), { id2label: { 0: 'only' } }));
    await expect(wrong.classify?.(['good'], never)).rejects.toThrow('2 outputs and config.json names 1 labels');
    await wrong.close();
  });

  it('is found by its folder or its graph, and not without its labels', () => {
    const folder = writeModel(join(temporaryDir(), 'model'));
    const files = findClassifierFiles(folder);
    expect(files).toEqual(['onnx/model.onnx', 'tokenizer.json', 'config.json'].map((name) => join(folder, name)));
    expect(findClassifierFiles(join(folder, 'onnx/model.onnx'))).toEqual(files);
    expect(findClassifierFiles(join(folder, 'onnx', 'nothing.onnx'))).toBeUndefined();
    expect(findClassifierFiles(temporaryDir())).toBeUndefined();
  });
});
