import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../../test/support/databases.ts';
import { connectSocket, type TestSocket } from '../../test/support/json-socket.ts';
import { python } from '../../test/support/python.ts';
import { createTone, SECONDS_PER_LETTER, type SpeechServer, serveSpeech, type ToneEngine } from './speech-for-tests.ts';

const PATH = '/v1/audio/speech/realtime';
const BYTES_PER_SECOND = 24_000 * 4;

let server: SpeechServer;
let engine: ToneEngine;
beforeAll(async () => {
  engine = createTone();
  server = await serveSpeech(sqliteForTests(), { tone: engine, other: createTone({ clones: true }) });
});

const open = async (query = '?model=tone') => {
  const client = connectSocket(server, PATH + query);
  return { client, created: await client.next() };
};
const append = (text: string) => ({ type: 'input_text.append', text });
const end = { type: 'input_text.end' };

async function secondsUntilDone(client: TestSocket): Promise<number> {
  const messages = await client.rest();
  expect(messages.at(-1)?.type).toBe('speech.audio.done');
  const sound = messages.slice(0, -1).map((message) => {
    expect(message.type).toBe('speech.audio.delta');
    return Buffer.from(message.audio_data as string, 'base64').length;
  });
  return sound.reduce((sum, bytes) => sum + bytes, 0) / BYTES_PER_SECOND;
}

describe('a live speech session', () => {
  it('says what it is, then speaks each sentence while the text still comes', async () => {
    const { client, created } = await open();
    expect(created).toEqual({
      type: 'session.created',
      session: {
        request_id: expect.any(String),
        model: 'tone',
        voice: 'anna',
        is_ref_audio: false,
        streaming_mode: 'responsive',
        response_format: 'pcm',
        expressiveness: 1,
      },
    });
    client.send(append('Good day. How'));
    expect(await client.next()).toMatchObject({ type: 'speech.audio.delta' });
    client.send(append(' are you?'));
    client.send(end);
    const seconds = await secondsUntilDone(client);
    expect(await client.closed).toBe(1000);
    expect(seconds).toBeCloseTo(9 * SECONDS_PER_LETTER, 5);
    expect(engine.requests.slice(-2).map(({ text }) => text)).toEqual(['Good day. ', 'How are you?']);
    expect(server.usage.at(-1)).toMatchObject({ kind: 'speech', model: 'tone', status: 200 });
    expect(server.usage.at(-1)?.usage).toEqual({
      promptTokens: 6,
      completionTokens: 20,
      cachedTokens: 0,
      reasoningTokens: 0,
    });
  });

  it('is changed before its first text and not after', async () => {
    const { client } = await open();
    client.send({
      type: 'session.update',
      session: { voice: 'ben', response_format: 'wav', streaming_mode: 'long_form' },
    });
    expect(await client.next()).toMatchObject({
      type: 'session.updated',
      session: { voice: 'ben', response_format: 'wav', streaming_mode: 'long_form' },
    });
    client.send({ type: 'input_text.flush', text: 'Hello' });
    const first = await client.next();
    expect(Buffer.from(first?.audio_data as string, 'base64').toString('latin1', 0, 4)).toBe('RIFF');
    client.send({ type: 'session.update', session: { voice: 'anna' } });
    expect((await client.rest()).at(-1)).toEqual({
      type: 'error',
      error: { code: 400, message: expect.stringContaining('Send session.update before any text') },
    });
    expect(engine.requests.at(-1)?.voice).toBe('ben');
  });

  it.each([
    ['a model that does not exist', '?model=nope', [], /Invalid model: nope/],
    ['a voice that does not exist', '?model=tone', [{ type: 'session.update', session: { voice: 'zed' } }], /zed/],
    [
      'a sample for a model that cannot clone',
      '?model=tone',
      [{ type: 'session.update', session: { ref_audio: 'AAAA' } }],
      /./,
    ],
    ['an unknown message', '?model=tone', [{ type: 'input_audio.append', audio: '' }], /./],
    ['an unknown property', '?model=tone', [{ type: 'input_text.append', text: 'a', more: 1 }], /Extra inputs/],
    ['more text than a message may have', '?model=tone', [append('x'.repeat(50_001))], /50000 characters/],
  ])('refuses %s in a sentence', async (_, query, messages, words) => {
    const client = connectSocket(server, PATH + query);
    for (const message of messages) client.send(message);
    const last = (await client.rest()).at(-1) as { type: string; error: { message: string; code: number } };
    expect(last).toMatchObject({ type: 'error', error: { code: expect.any(Number) } });
    expect(last.error.message).toMatch(words);
    expect(await client.closed).toBe(1008);
  });

  it('that gets no words ends without a sound', async () => {
    const { client } = await open();
    client.send(append('  \n'));
    client.send(end);
    expect(await client.rest()).toEqual([
      { type: 'speech.audio.done', usage: expect.objectContaining({ completion_tokens: 0 }) },
    ]);
  });

  it('whose client leaves in the middle stops speaking, and what was said is on the ledger', async () => {
    const ended = engine.ended;
    const { client } = await open();
    client.send(append(`${'This is a sentence. '.repeat(150)}`));
    await client.next();
    client.close();
    await expect.poll(() => engine.ended).toBe(ended + 1);
    await expect.poll(() => server.usage.at(-1)?.status).toBe(499);
    expect(server.usage.at(-1)?.usage.completionTokens).toBeGreaterThan(0);
  });

  it('whose engine breaks ends with an error, and the next one works', async () => {
    engine.breaksBefore = 1;
    const { client } = await open();
    client.send(append('One. Two. Three. '));
    client.send(end);
    expect((await client.rest()).at(-1)).toMatchObject({ type: 'error', error: { code: 500 } });
    const again = await open();
    again.client.send(append('One.'));
    again.client.send(end);
    expect(await secondsUntilDone(again.client)).toBeCloseTo(3 * SECONDS_PER_LETTER, 5);
  });

  it('is refused with a reason beyond the places of a key, and a place is free again at once', async () => {
    const held = await Promise.all(Array.from({ length: 32 }, () => open()));
    const { created } = await open();
    expect(created).toMatchObject({ type: 'error', error: { code: 429 } });
    for (const { client } of held) client.close();
    await expect.poll(async () => (await open()).created?.type).toBe('session.created');
  });

  it.runIf(python)('works in the official Python SDK, with a stream of text', async () => {
    const script = `
import asyncio, base64, json, os
from mistralai.client import Mistral

async def words():
    for word in ["Good ", "day", " to ", "you. And", " you."]:
        yield word

async def main():
    client = Mistral(api_key=os.environ["KEY"], server_url=os.environ["URL"])
    seen, sound = [], 0
    async for event in client.audio.realtime_speech.speak_stream(words(), model="tone", voice_id="ben", response_format="pcm"):
        seen.append(event.type)
        if event.type == "speech.audio.delta": sound += len(base64.b64decode(event.audio_data))
    try:
        await client.audio.realtime_speech.connect(model="nope")
    except Exception as error:
        refused = str(error)
    print(json.dumps({"seen": sorted(set(seen)), "last": seen[-1], "sound": sound, "refused": refused}))

asyncio.run(main())
`;
    const env = { PATH: process.env.PATH, URL: server.url, KEY: server.key };
    const { stdout } = await promisify(execFile)(python ?? '', ['-c', script], { env });
    expect(JSON.parse(stdout)).toEqual({
      seen: ['session.created', 'session.updated', 'speech.audio.delta', 'speech.audio.done'],
      last: 'speech.audio.done',
      sound: Math.round(18 * SECONDS_PER_LETTER * BYTES_PER_SECOND),
      refused: expect.stringContaining('Invalid model: nope'),
    });
  });
});
