import { Mistral } from '@mistralai/mistralai';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { decode, ffmpeg } from '../../test/support/ffmpeg.ts';
import { inFull } from '../../test/support/in-full.ts';
import { rounds } from '../../test/support/rounds.ts';
import { startTestServer } from '../../test/support/server.ts';
import { createEspeakEngine, createEspeakProcess } from '../engines/index.ts';
import { audioOf, collect, eventsOf, post, type SpeechServer, serveSpeech } from './speech-for-tests.ts';

const espeak = createEspeakProcess({ log: pino({ level: 'silent' }) });
atEnd(() => espeak.close());
const TEXT = 'Good morning. It is a quarter past nine, and the train is late.';

describe.runIf(espeak.isInstalled)('with a real voice', () => {
  let server: SpeechServer;
  beforeAll(async () => {
    server = await serveSpeech(sqliteForTests(), { espeak: createEspeakEngine(espeak).speech });
  });

  it.each(rounds(['mp3'], ['pcm', 'wav', 'mp3', 'flac', 'opus']))(
    'the deltas of %s are the speech, whatever its sample rate',
    async (response_format) => {
      const response = await post(server, { input: TEXT, stream: true, response_format, voice_id: 'en' });
      expect(response.headers.get('tramontane-speech-engine')).toBe('espeak-ng');
      const file = audioOf(await collect(eventsOf(response)));
      expect(file.length).toBeGreaterThan(10_000);
      if (!ffmpeg) return;
      const { samples, complaints } = decode(file, response_format, 22_050);
      expect(complaints).toBe('');
      expect(samples.length / 22_050).toBeGreaterThan(2.5);
      expect(samples.length / 22_050).toBeLessThan(8);
      expect(Math.max(...samples.subarray(0, 100_000))).toBeGreaterThan(0.1);
    },
  );

  inFull.it(
    'whose process is killed in the middle, the stream ends with an error event, and the next request works',
    async () => {
      const events = eventsOf(await post(server, { input: TEXT.repeat(200), stream: true, response_format: 'pcm' }));
      expect((await events.next()).value?.event).toBe('speech.audio.delta');
      process.kill(espeak.pid() ?? Number.NaN, 'SIGKILL');
      const last = (await collect(events)).at(-1);
      expect(last).toMatchObject({
        event: 'error',
        data: { object: 'error', type: 'server_error', message: expect.any(String) },
      });
      expect(server.usage.at(-1)?.status).toBe(503);
      const next = await collect(eventsOf(await post(server, { input: TEXT, stream: true })));
      expect(next.at(-1)?.event).toBe('speech.audio.done');
    },
  );

  it('a whole server speaks under the names of public samples', async () => {
    const real = await startTestServer(sqliteForTests(), { file: { models: [{ id: 'espeak-ng', engine: 'espeak' }] } });
    const { audio } = new Mistral({ serverURL: real.url, apiKey: real.key });
    const { audioData } = await audio.speech.complete({
      model: 'voxtral-mini-tts-latest',
      input: 'Guten Tag.',
      voiceId: 'de',
    });
    expect(Buffer.from(audioData, 'base64').length).toBeGreaterThan(3000);
    expect((await audio.voices.list({ type: 'preset' })).total).toBeGreaterThan(100);
  });
});
