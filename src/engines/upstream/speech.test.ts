import { describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { createUpstreamEngine } from './upstream-engine.ts';

const never = new AbortController().signal;

function speakerFor(upstream: ScriptedUpstream, { clones = false, timeoutMs = 5000 } = {}) {
  const engine = createUpstreamEngine({
    targets: [{ url: upstream.url, apiKey: 'upstream-secret', model: 'tts-1', timeoutMs }],
    speech: { name: 'studio', voices: ['alloy', 'nova'], defaultVoice: 'alloy', clones },
    retry: { backoffMs: 1 },
  });
  atEnd(() => engine.close());
  if (!engine.speech) throw new Error('it does not speak');
  return engine.speech;
}

async function samplesOf(speech: AsyncIterable<Float32Array>): Promise<number[]> {
  const samples: number[] = [];
  for await (const piece of speech) samples.push(...piece);
  return samples;
}

function pcm16(values: number[]): Buffer {
  return Buffer.from(Int16Array.from(values).buffer);
}

function wav(values: Buffer, { kind = 1, channels = 1, rate = 24_000, bits = 16 } = {}): Buffer {
  const head = Buffer.alloc(36);
  head.write('RIFF', 0);
  // A server that streams does not know the length.
  head.writeUInt32LE(0xffffffff, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(kind, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE((rate * channels * bits) / 8, 28);
  head.writeUInt16LE((channels * bits) / 8, 32);
  head.writeUInt16LE(bits, 34);
  const other = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1');
  return Buffer.concat([head, other, Buffer.from('data\xff\xff\xff\xff', 'latin1'), values]);
}

async function answering(...chunks: Buffer[]): Promise<ScriptedUpstream> {
  const upstream = await startUpstream();
  upstream.answerWith((_call, response) => {
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
  return upstream;
}

describe('the speech of an upstream', () => {
  it('is asked for as raw samples, with the voice and without more', async () => {
    const upstream = await answering(pcm16([0, 16_384, -32_768]));
    const { speak, sampleRate, voices, name } = speakerFor(upstream);
    expect(await samplesOf(speak({ text: 'Hello', voice: 'nova', refAudio: new Uint8Array(3) }, never))).toEqual([
      0, 0.5, -1,
    ]);
    expect({ sampleRate, name, slugs: voices.map(({ slug }) => slug) }).toEqual({
      sampleRate: 24_000,
      name: 'studio',
      slugs: ['alloy', 'nova'],
    });
    expect(upstream.calls).toMatchObject([
      { path: '/v1/audio/speech', headers: { authorization: 'Bearer upstream-secret' } },
    ]);
    expect(upstream.calls[0]?.body).toEqual({ model: 'tts-1', input: 'Hello', voice: 'nova', response_format: 'pcm' });
  });

  it('carries the sample to speak like, only where the file says that the server clones', async () => {
    const upstream = await answering(pcm16([1]));
    await samplesOf(
      speakerFor(upstream, { clones: true }).speak({ text: 'x', voice: 'v', refAudio: new Uint8Array([1, 2]) }, never),
    );
    expect(upstream.calls[0]?.body).toMatchObject({ ref_audio: 'AQI=' });
  });

  it('is right however the bytes were cut', async () => {
    const values = Array.from({ length: 5000 }, (_, i) => (i * 37) % 30_000);
    const whole = pcm16(values);
    const cuts = [1, 2, 3, 501, 4001];
    const chunks = cuts.map((cut, i) => whole.subarray(cuts[i - 1] ?? 0, cut));
    const upstream = await answering(...chunks, whole.subarray(4001));
    expect(await samplesOf(speakerFor(upstream).speak({ text: 'x', voice: 'v' }, never))).toEqual(
      values.map((v) => v / 32_768),
    );
  });

  it.each([
    ['16 bits', wav(pcm16([0, 16_384])), [0, 0.5]],
    ['floats', wav(Buffer.from(Float32Array.of(0.25, -0.5).buffer), { kind: 3, bits: 32 }), [0.25, -0.5]],
    ['two channels', wav(pcm16([0, 16_384, 16_384, 16_384]), { channels: 2 }), [0.25, 0.5]],
    ['half the rate', wav(pcm16([0, 8192, 16_384]), { rate: 12_000 }), [0, 0.125, 0.25, 0.375]],
  ])('is understood as a WAV file with %s', async (_, file, expected) => {
    const upstream = await answering(file.subarray(0, 30), file.subarray(30, 53), file.subarray(53));
    expect(await samplesOf(speakerFor(upstream).speak({ text: 'x', voice: 'v' }, never))).toEqual(expected);
  });

  it('is asked for as a WAV file where raw samples are refused', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) => {
      const { response_format } = call.body as { response_format: string };
      if (response_format === 'pcm')
        return json(response, 400, { error: { message: "Unsupported response_format 'pcm'" } });
      response.writeHead(200, { 'content-type': 'audio/wav' }).end(wav(pcm16([16_384])));
    });
    expect(await samplesOf(speakerFor(upstream).speak({ text: 'x', voice: 'v' }, never))).toEqual([0.5]);
    expect(upstream.calls.map(({ body }) => (body as { response_format: string }).response_format)).toEqual([
      'pcm',
      'wav',
    ]);
  });

  it('arrives while the server still makes it, and a client that leaves ends the request there', async () => {
    const upstream = await startUpstream();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).write(pcm16(Array.from({ length: 3000 }, () => 1)));
      response.on('close', resolve);
    });
    const leave = new AbortController();
    const stream = speakerFor(upstream).speak({ text: 'x', voice: 'v' }, leave.signal)[Symbol.asyncIterator]();
    expect((await stream.next()).value).toHaveLength(3000);
    const reason = new Error('left');
    leave.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
    await closed;
  });

  it('ends the request there when its reader stops in the middle', async () => {
    const upstream = await startUpstream();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).write(pcm16(Array.from({ length: 3000 }, () => 1)));
      response.on('close', resolve);
    });
    for await (const piece of speakerFor(upstream).speak({ text: 'x', voice: 'v' }, never)) {
      expect(piece).toHaveLength(3000);
      break;
    }
    await closed;
  });

  it.each([
    [500, 503],
    [401, 502],
    [404, 502],
    [400, 400],
    [429, 429],
  ])('that is refused with %i is a %i in our words', async (status, expected) => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => response.writeHead(status).end('the secret words of the server'));
    const refused = await samplesOf(speakerFor(upstream).speak({ text: 'x', voice: 'v' }, never)).catch(
      (error) => error,
    );
    expect(refused).toMatchObject({ status: expected });
    expect(refused.message).not.toContain('secret');
  });

  it('that breaks off is a 502, what is no sound a 502', async () => {
    const breaking = await startUpstream();
    breaking.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).write(pcm16([1, 2]));
      setImmediate(() => response.destroy());
    });
    await expect(samplesOf(speakerFor(breaking).speak({ text: 'x', voice: 'v' }, never))).rejects.toMatchObject({
      status: 502,
    });
    const talking = await startUpstream();
    talking.answerWith((_call, response) => json(response, 200, { audio_data: 'AAAA' }));
    await expect(samplesOf(speakerFor(talking).speak({ text: 'x', voice: 'v' }, never))).rejects.toMatchObject({
      status: 502,
    });
    const strange = await answering(wav(pcm16([1]), { kind: 7 }));
    await expect(samplesOf(speakerFor(strange).speak({ text: 'x', voice: 'v' }, never))).rejects.toMatchObject({
      status: 502,
    });
  });

  it('without end is cut off after as long as the text may take', async () => {
    const upstream = await startUpstream();
    let written = 0;
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      const second = Buffer.alloc(48_000, 1);
      const pour = (): void => {
        while (!response.destroyed) {
          written += 1;
          if (!response.write(second)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    let samples = 0;
    const listen = async () => {
      for await (const piece of speakerFor(upstream).speak({ text: 'Hello', voice: 'v' }, never))
        samples += piece.length;
    };
    await expect(listen()).rejects.toMatchObject({ status: 502, code: 'upstream_answer_too_large' });
    expect(samples / 24_000).toBeLessThanOrEqual(70);
    // What the sockets hold was written too.
    expect(written).toBeLessThan(500);
  });

  it('that is silence is a 502 where there is something to say, and an endless header is none', async () => {
    const empty = await answering(Buffer.alloc(0));
    await expect(samplesOf(speakerFor(empty).speak({ text: 'Hello', voice: 'v' }, never))).rejects.toMatchObject({
      status: 502,
    });
    expect(await samplesOf(speakerFor(empty).speak({ text: '🙂', voice: 'v' }, never))).toEqual([]);
    const parts = Buffer.from(`RIFF....WAVE${'LIST\0\0\0\0'.repeat(7000)}`, 'latin1');
    const endless = await answering(
      ...Array.from({ length: 100 }, (_, at) => parts.subarray(at * 560, at * 560 + 560)),
    );
    await expect(samplesOf(speakerFor(endless).speak({ text: 'Hello', voice: 'v' }, never))).rejects.toMatchObject({
      status: 502,
    });
  });
});
