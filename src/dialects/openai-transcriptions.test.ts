import OpenAI, { APIError, toFile } from 'openai';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { reply, startTranscriber, TRANSCRIPT } from '../transcription/upstream-for-tests.ts';

let server: TestServer;
let transcriber: Awaited<ReturnType<typeof startTranscriber>>;
let client: OpenAI;
beforeAll(async () => {
  transcriber = await startTranscriber();
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [{ id: 'ear', engine: 'upstream', url: transcriber.url, kind: 'transcription' }],
      transcription: { file_limit_mib: 1 },
    },
  });
  client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
});
afterEach(() => transcriber.answerWith((_form, response) => reply(response, 200, TRANSCRIPT)));

const sound = () => toFile(Buffer.from('RIFF-some-sound'), 'talk.wav');
const transcribe = async (more: object) =>
  client.audio.transcriptions.create({ model: 'whisper-1', file: await sound(), ...more } as never) as never;
const refusal = (more: object) =>
  transcribe(more).then(
    () => undefined,
    (error: unknown) => error as APIError,
  );
const usage = { type: 'duration', seconds: 4 };

describe("OpenAI's transcriptions", () => {
  it('answer in each format of the official client', async () => {
    expect(await transcribe({ prompt: 'Tramontane', temperature: 0.2, language: 'en' })).toEqual({
      text: TRANSCRIPT.text,
      usage,
    });
    expect(transcriber.forms.at(-1)?.fields).toMatchObject({ prompt: ['Tramontane'], temperature: ['0.2'] });
    expect(await transcribe({ model: 'gpt-4o-mini-transcribe' })).toEqual(await transcribe({ model: 'ear' }));
    expect(await transcribe({ response_format: 'text' })).toBe(`${TRANSCRIPT.text}\n`);
    expect(await transcribe({ response_format: 'srt' })).toContain('00:00:00,000 --> 00:00:01,500\nGood morning.');
    expect(await transcribe({ response_format: 'vtt' })).toMatch(/^WEBVTT\n\n00:00:00.000 --> 00:00:01.500/);
    expect(await transcribe({ response_format: 'verbose_json' })).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 3.2,
      text: TRANSCRIPT.text,
      usage,
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 1.5,
          text: 'Good morning.',
          tokens: [],
          temperature: 0,
          avg_logprob: expect.closeTo(-0.1, 5),
          compression_ratio: 1,
          no_speech_prob: 0,
        },
        expect.objectContaining({ id: 1, seek: 160, text: 'How are you?' }),
      ],
    });
  });

  it('have the times of words, and of segments beside them', async () => {
    const words = ['Good', 'morning.', 'How', 'are', 'you?'].map((word, at) => ({ word, start: at, end: at + 0.5 }));
    transcriber.answerWith((_form, response) => reply(response, 200, { ...TRANSCRIPT, segments: [], words }));
    const timestamp_granularities = ['word'];
    const ofWords = await transcribe({ response_format: 'verbose_json', timestamp_granularities });
    expect(ofWords).toMatchObject({ words });
    expect(ofWords).not.toHaveProperty('segments');
    expect(
      await transcribe({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] }),
    ).toMatchObject({
      words,
      segments: [
        { text: 'Good morning.', start: 0, end: 1.5 },
        { text: 'How are you?', start: 2, end: 4.5 },
      ],
    });
  });

  it('have speakers as diarized_json', async () => {
    const segments = TRANSCRIPT.segments.map((segment, at) => ({ ...segment, speaker_id: ['Ann', null][at] }));
    transcriber.answerWith((_form, response) => reply(response, 200, { ...TRANSCRIPT, segments }));
    const diarized = { response_format: 'diarized_json', chunking_strategy: 'auto' };
    expect(await transcribe(diarized)).toMatchObject({
      segments: [
        { type: 'transcript.text.segment', id: 'seg_1', speaker: 'Ann', text: 'Good morning.' },
        { id: 'seg_2', speaker: 'unknown' },
      ],
    });
    expect(transcriber.forms.at(-1)?.fields.diarize).toEqual(['true']);
  });

  it('are streamed as the events of the official client', async () => {
    const types: string[] = [];
    let text = '';
    for await (const event of (await transcribe({
      stream: true,
    })) as AsyncIterable<OpenAI.Audio.TranscriptionStreamEvent>) {
      types.push(event.type);
      if (event.type === 'transcript.text.delta') text += event.delta;
      if (event.type === 'transcript.text.done') expect(event).toMatchObject({ text: TRANSCRIPT.text, usage });
    }
    expect([types.at(-1), text]).toEqual(['transcript.text.done', TRANSCRIPT.text]);
    const spoken = (await transcribe({ stream: true, response_format: 'diarized_json' })) as AsyncIterable<{
      type: string;
    }>;
    const diarized: string[] = [];
    for await (const { type } of spoken) diarized.push(type);
    expect(diarized.slice(0, 2)).toEqual(['transcript.text.segment', 'transcript.text.segment']);
  });

  it.each([
    ['an unknown model', { model: 'nobody' }, 404, 'model_not_found'],
    ['log probabilities', { include: ['logprobs'] }, 400, 'option_unsupported'],
    ['a language that is none', { language: 'english' }, 400, 'invalid_value'],
    ['times without verbose_json', { timestamp_granularities: ['word'] }, 400, 'option_unsupported'],
    ['speakers without recordings', { known_speaker_names: ['Ann'] }, 400, 'option_unsupported'],
    ['subtitles as a stream', { stream: true, response_format: 'srt' }, 400, 'option_unsupported'],
    ['an unknown field', { more: 'x' }, 400, 'unknown_parameter'],
  ])('refuse %s in the words of that API', async (_name, more, status, code) => {
    const error = await refusal(more);
    expect(error).toBeInstanceOf(APIError);
    expect([error?.status, error?.code]).toEqual([status, code]);
  });

  it('refuse a file that is too large, one without a key, and translations', async () => {
    expect((await refusal({ file: await toFile(Buffer.alloc(2 * 1024 * 1024), 'a.wav') }))?.status).toBe(413);
    const stranger = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: 'nobody', maxRetries: 0 });
    const request = { model: 'whisper-1', file: await sound() };
    await expect(stranger.audio.transcriptions.create(request)).rejects.toMatchObject({ status: 401 });
    await expect(client.audio.translations.create(request)).rejects.toMatchObject({
      status: 400,
      code: 'translation_unsupported',
    });
    transcriber.answerWith((_form, response) => reply(response, 200, { words: 'none' }));
    expect((await refusal({}))?.status).toBe(502);
  });
});
