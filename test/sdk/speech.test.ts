import consumers from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTone,
  SECONDS_PER_LETTER,
  type SpeechServer,
  serveSpeech,
  type ToneEngine,
  wavForTests,
} from '../../src/speech/speech-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { decode, ffmpeg } from '../support/ffmpeg.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';

const FORMATS = ['mp3', 'wav', 'pcm', 'flac', 'opus'] as const;
const input = 'Good day to you.';
const SECONDS = Math.round(12 * SECONDS_PER_LETTER * 10) / 10;
const sampleAudio = wavForTests().toString('base64');

let server: SpeechServer;
let engine: ToneEngine;
beforeAll(async () => {
  engine = createTone();
  server = await serveSpeech(sqliteForTests(), { tone: engine });
});

/** One file of the right length, by its size where the format allows it, and by ffmpeg where it is installed. */
function expectAudio(format: string, file: Buffer): void {
  if (format === 'pcm') expect(file.length).toBe(SECONDS * 24_000 * 4);
  expect(file.length).toBeGreaterThan(3000);
  if (!ffmpeg) return;
  const { samples, complaints } = decode(file, format, 24_000);
  expect(complaints).toBe('');
  expect(Math.abs(samples.length / 24_000 - SECONDS)).toBeLessThan(format === 'mp3' ? 0.12 : 0.001);
}

describe('the official TypeScript SDK', () => {
  const client = () => new Mistral({ serverURL: server.url, apiKey: server.key }).audio;

  it.each(FORMATS)(
    'speaks %s, whole and streamed [SPEECH-CREATE] [SPEECH-STREAM] [SPEECH-FORMATS]',
    async (responseFormat) => {
      const whole = await client().speech.complete({ input, responseFormat, voiceId: 'ben' });
      expect(Object.keys(whole)).toEqual(['audioData']);
      expectAudio(responseFormat, Buffer.from(whole.audioData, 'base64'));
      const pieces: Buffer[] = [];
      const events: string[] = [];
      for await (const { event, data } of await client().speech.complete({ input, responseFormat, stream: true })) {
        events.push(event);
        if (data.type === 'speech.audio.delta') pieces.push(Buffer.from(data.audioData, 'base64'));
        if (data.type === 'speech.audio.done')
          expect(data.usage).toMatchObject({
            promptTokens: 4,
            completionTokens: 15,
            totalTokens: 19,
            requestCount: 1,
            numCachedTokens: 0,
          });
      }
      expect(events.at(-1)).toBe('speech.audio.done');
      expectAudio(responseFormat, Buffer.concat(pieces));
    },
  );

  it('has every operation on voices [VOICES-LIST] [VOICES-CREATE] [VOICES-GET] [VOICES-UPDATE] [VOICES-DELETE] [VOICES-SAMPLE]', async () => {
    const { voices } = client();
    const created = await voices.create({
      name: 'Eva',
      slug: 'eva',
      languages: ['hu'],
      sampleAudio,
      sampleFilename: 'eva.wav',
    });
    expect(created).toMatchObject({
      name: 'Eva',
      slug: 'eva',
      languages: ['hu'],
      retentionNotice: 30,
      createdAt: expect.any(Date),
    });
    const { id: voiceId } = created;
    const changed = await voices.update({ voiceId, voiceUpdateRequest: { name: 'Evi', tags: ['calm'] } });
    expect(changed).toEqual({ ...created, name: 'Evi', tags: ['calm'] });
    expect(await voices.get({ voiceId: 'eva' })).toEqual(changed);
    expect(await voices.list()).toMatchObject({
      total: 3,
      items: [{ slug: 'eva' }, { slug: 'anna' }, { slug: 'ben' }],
    });
    expect(await voices.list({ type: 'preset', limit: 1, offset: 1 })).toMatchObject({
      total: 2,
      page: 2,
      items: [{ slug: 'ben', gender: 'male' }],
    });
    const sample = await consumers.buffer(await voices.getSampleAudio({ voiceId }));
    expect(sample.toString('base64')).toBe(sampleAudio);
    expect((await consumers.buffer(await voices.getSampleAudio({ voiceId: 'ben' }))).toString('latin1', 0, 4)).toBe(
      'RIFF',
    );
    expect(await voices.delete({ voiceId })).toEqual(changed);
    await expect(voices.get({ voiceId })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('raises errors of its own classes', async () => {
    const { speech } = client();
    await expect(speech.complete({ input: ' ' })).rejects.toMatchObject({
      statusCode: 422,
      detail: [{ loc: ['body', 'input'] }],
    });
    await expect(speech.complete({ input, voiceId: 'nobody' })).rejects.toMatchObject({ statusCode: 404 });
    await expect(speech.complete({ input, refAudio: sampleAudio })).rejects.toMatchObject({ statusCode: 400 });
  });
});

describe.runIf(python)('the official Python SDK', () => {
  it('speaks every format, whole and streamed, and has every operation on voices [SPEECH-CREATE] [SPEECH-STREAM] [VOICES-SAMPLE]', async () => {
    const script = fileURLToPath(new URL('./speech.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    const { whole, streamed, created, ...result } = JSON.parse(stdout) as Record<
      'whole' | 'streamed' | 'created',
      Record<string, string>
    >;
    for (const format of FORMATS)
      for (const files of [whole, streamed]) expectAudio(format, Buffer.from(files[format] ?? '', 'base64'));
    const updated = { ...created, name: 'Evi', tags: ['calm'], retention_notice: 7 };
    expect(created).toMatchObject({ slug: expect.stringMatching(/^eva-/), languages: ['hu'], retention_notice: 30 });
    expect(result).toMatchObject({
      usage: { prompt_tokens: 4, completion_tokens: 15, total_tokens: 19, request_count: 1 },
      updated,
      got: updated,
      presets: ['ben'],
      sample: true,
      preset_sample: 'RIFF',
      deleted: true,
    });
  });
});
