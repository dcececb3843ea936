import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../test/support/databases.ts';
import { loadConfig } from './config.ts';

function load(text: string) {
  const dir = temporaryDir();
  writeFileSync(join(dir, 'tramontane.yaml'), text);
  return loadConfig({ TRAMONTANE_DATA_DIR: join(dir, 'data') }).file;
}

const UPSTREAM = 'engine: upstream, url: http://127.0.0.1:9000/v1';
const ids = (text: string) => load(text).models.map(({ id }) => id);
const abilities = (text: string) =>
  Object.entries(load(`models: [{ id: a, ${text} }]\nbuiltin: false\n`).models[0]?.capabilities ?? {})
    .filter(([, has]) => has)
    .map(([name]) => name);

describe('the built-in models', () => {
  const builtin = [
    'smollm2-135m-instruct',
    'all-minilm-l6-v2',
    'use-multilingual-v3',
    'kokoro-82m',
    'espeak-ng',
    'tesseract',
    'whisper-base',
  ];

  it('follow those of the file, and nothing is downloaded or started for them before it is needed', () => {
    const { models } = load(`models: [{ id: big, ${UPSTREAM} }]\n`);
    expect(models.map(({ id }) => id)).toEqual(['big', ...builtin]);
    expect(models.map(({ isLazy }) => isLazy ?? false)).toEqual([false, ...builtin.map(() => true)]);
  });

  it('are the only ones without a list, and only the multilingual one waits for a request that names it', () => {
    expect(load('currency: USD\n').models.map(({ id, isLazy }) => [id, isLazy])).toEqual(
      builtin.map((id) => [id, id === 'use-multilingual-v3' ? true : undefined]),
    );
  });

  it('are switched off together, or by kind', () => {
    const named = `models: [{ id: big, ${UPSTREAM} }]\n`;
    expect(ids(`${named}builtin: false\n`)).toEqual(['big']);
    expect(ids('builtin: false\n')).toEqual([]);
    expect(ids('models: []\n')).toEqual([]);
    expect(ids(`${named}builtin: { chat: false, speech: false }\n`)).toEqual([
      'big',
      'all-minilm-l6-v2',
      'use-multilingual-v3',
      'tesseract',
      'whisper-base',
    ]);
    expect(ids('builtin: { embeddings: false, moderation: false, ocr: false }\n')).toEqual([
      'smollm2-135m-instruct',
      'kokoro-82m',
      'espeak-ng',
      'whisper-base',
    ]);
  });

  it('moderate without embedding, and embed without moderating, as the file says', () => {
    const minilm = (text: string) => load(text).models.find(({ engine }) => engine === 'onnx');
    expect(minilm('builtin: { embeddings: false }\n')).toMatchObject({
      kind: 'moderation',
      capabilities: { moderation: true },
    });
    expect(minilm('builtin: { moderation: false }\n')).toMatchObject({
      kind: 'embeddings',
      capabilities: { moderation: false },
    });
  });

  it('give way to a model of the file with their name or their weights', () => {
    expect(ids(`models: [{ id: tesseract, ${UPSTREAM}, kind: ocr }]\n`)).toEqual([
      'tesseract',
      ...builtin.slice(0, 5),
      'whisper-base',
    ]);
    expect(ids(`models: [{ id: big, aliases: [kokoro-82m], ${UPSTREAM} }]\n`)).not.toContain('kokoro-82m');
    expect(ids('models: [{ id: tiny, engine: llama, weights: smollm2-135m-instruct }]\n')).toEqual([
      'tiny',
      ...builtin.slice(1),
    ]);
  });
});

describe('kind', () => {
  it.each([
    [UPSTREAM, ['completion_chat']],
    [`${UPSTREAM}, kind: chat, capabilities: { vision: true }`, ['completion_chat', 'vision']],
    [`${UPSTREAM}, kind: code`, ['completion_chat', 'completion_fim']],
    [`${UPSTREAM}, kind: embeddings`, []],
    [`${UPSTREAM}, kind: moderation`, ['moderation']],
    [`${UPSTREAM}, kind: ocr`, ['ocr']],
    [`${UPSTREAM}, kind: speech`, ['audio_speech']],
    [`${UPSTREAM}, kind: transcription`, ['audio_transcription', 'audio_transcription_realtime']],
    ['engine: whisper', ['audio_transcription', 'audio_transcription_realtime']],
    ['engine: onnx, weights: all-minilm-l6-v2, kind: moderation', ['moderation']],
    ['engine: onnx, weights: all-minilm-l6-v2, kind: embeddings', []],
    ['engine: llama, weights: x.gguf', ['completion_chat', 'function_calling']],
    ['engine: llama, weights: x.gguf, kind: code', ['completion_chat', 'function_calling', 'completion_fim']],
    ['engine: llama, weights: qwen2.5-coder-1.5b-instruct', ['completion_chat', 'function_calling', 'completion_fim']],
    [
      'engine: llama, weights: qwen2.5-coder-1.5b-instruct, capabilities: { completion_chat: true }',
      ['completion_chat'],
    ],
  ])('%s can do %j', (text, expected) => {
    expect(abilities(text)).toEqual(expected);
  });
});

it.each([
  [`models: [{ id: a, ${UPSTREAM}, kind: embedings }]\n`, ":1: 'models.0.kind'"],
  ['models:\n  - id: a\n    engine: llama\n    weights: x\n    kind: ocr\n', ":5: 'models.0.kind'"],
  [
    `models:\n  - { id: a, ${UPSTREAM}, kind: embeddings, capabilities: { completion_chat: true } }\n`,
    ":2: 'models.0.capabilities': A model of kind embeddings cannot have completion_chat",
  ],
  ['builtin: { embedings: false }\n', ":1: unknown key 'builtin.embedings'. Did you mean 'embeddings'?"],
  ['builtin: maybe\n', ":1: 'builtin'"],
  ['builtin: { ocr: sometimes }\n', ":1: 'builtin.ocr'"],
  [
    'models: []\nsample_aliases: { mistral-large: big }\n',
    ":2: 'sample_aliases.mistral-large': no model has the id or alias 'big'",
  ],
  [
    'sample_aliases:\n  mistral-ocr: teseract\n',
    ":2: 'sample_aliases.mistral-ocr': no model has the id or alias 'teseract'. Did you mean 'tesseract'?",
  ],
  ['sample_aliases: { mistral-large: 3 }\n', ":1: 'sample_aliases.mistral-large'"],
  ['list_aliases: some\n', ":1: 'list_aliases'"],
])('%j is refused with line and key', (text, expected) => {
  expect(() => load(text)).toThrow(expected);
});

it('a file of 0.1.0 that names models still loads, with its models first and their capabilities as before', () => {
  const { models } = load(`models:
  - id: small
    aliases: [small-latest]
    ${UPSTREAM.replace(', ', '\n    ')}
  - id: embedder
    engine: onnx
    weights: all-minilm-l6-v2
  - id: vectors
    ${UPSTREAM.replace(', ', '\n    ')}
    capabilities: {}
sample_aliases: true
`);
  expect(models.map(({ id }) => id)).toEqual([
    'small',
    'embedder',
    'vectors',
    'smollm2-135m-instruct',
    'use-multilingual-v3',
    'kokoro-82m',
    'espeak-ng',
    'tesseract',
    'whisper-base',
  ]);
  expect(Object.values(models[2]?.capabilities ?? {})).not.toContain(true);
});
