import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { SOUND_TYPES } from './openai/speech.ts';
import { OpenAiSpeechEvent } from './schema/openai.ts';

const SAMPLES = Int16Array.from({ length: 24_000 }, (_, i) => 8000 * Math.sin(i / 10));

let server: TestServer;
let upstream: ScriptedUpstream;
let client: OpenAI;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answerWith((_call, response) =>
    response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.from(SAMPLES.buffer)),
  );
  const speech = { voices: ['nova', 'john'] };
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'voice', engine: 'upstream', url: upstream.url, kind: 'speech', speech }] },
  });
  client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
});

const TEXT = { model: 'voice', input: 'Good day.', voice: 'john' };
const speak = async (more: object = {}) => {
  const response = await client.audio.speech.create({ ...TEXT, ...more } as never);
  return {
    type: response.headers.get('content-type') ?? '',
    response,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

describe("OpenAI's speech", () => {
  it('is a file of each type that the document names', async () => {
    const types = [];
    for (const response_format of ['mp3', 'opus', 'flac', 'wav', 'pcm'])
      types.push((await speak({ response_format })).type.split(';')[0]);
    expect(types).toEqual(SOUND_TYPES);
    expect(upstream.calls.at(-1)?.body).toMatchObject({ input: 'Good day.', voice: 'john' });
  });

  it('is MP3 unless something else is asked for, and raw samples have sixteen bits', async () => {
    expect((await speak()).type).toBe('audio/mpeg');
    const { type, bytes } = await speak({ response_format: 'pcm' });
    expect([type, bytes.length]).toEqual(['audio/pcm;rate=24000', SAMPLES.byteLength]);
  });

  it('has the default voice for names of OpenAI, and says so', async () => {
    const { response } = await speak({ voice: 'shimmer' });
    expect(response.headers.get('tramontane-ignored')).toBe('voice');
    expect(upstream.calls.at(-1)?.body).toMatchObject({ voice: 'nova' });
  });

  it('comes as events, with the usage in the last one', async () => {
    const { text } = await call(server, '/openai/v1/audio/speech', { body: { ...TEXT, stream_format: 'sse' } });
    const events = text
      .trimEnd()
      .split('\n\n')
      .map((frame) => ({ data: JSON.parse(frame.replace('data: ', '')) as { type: string } }));
    expect(events.length).toBeGreaterThan(1);
    expect(events.map((event) => OpenAiSpeechEvent.parse(event))).toEqual(events);
    expect(events.at(-1)?.data.type).toBe('speech.audio.done');
  });

  it.each([
    ['a speed', { speed: 2 }],
    ['instructions', { instructions: 'Whisper.' }],
    ['a format that is not encoded', { response_format: 'aac' }],
  ])('is refused with %s', async (_, more) => {
    const { status, body } = await call(server, '/openai/v1/audio/speech', { body: { ...TEXT, ...more } });
    expect([status, body]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
  });

  it('is refused for a voice that nobody has', async () => {
    await expect(speak({ voice: 'nobody' })).rejects.toMatchObject({ status: 404 });
  });
});
