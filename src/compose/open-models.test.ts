import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { temporaryDir } from '../../test/support/databases.ts';
import { json, startUpstream } from '../../test/support/upstream.ts';
import { loadConfig } from '../config/config.ts';
import { createLog } from '../kit/base/log.ts';
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
    const { byName } = nameModels(models, true);
    expect(byName.get('voxtral-mini-tts-latest')?.id).toBe('kokoro-82m');
  });

  it('eSpeak NG speaks for Kokoro until its weights are here, under its own name and with Kokoro’s voices', () => {
    const kokoro = open().find(({ id }) => id === 'kokoro-82m')?.engine.speech;
    expect(kokoro?.name).toBe('espeak-ng');
    expect(kokoro?.voices.map(({ slug }) => slug)).toContain('af_heart');
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

  it('does not speak otherwise', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => json(response, 200, {}));
    const [model] = open(`models: [{ id: small, engine: upstream, url: "${upstream.url}" }]`);
    expect(model?.engine.speech).toBeUndefined();
  });
});
