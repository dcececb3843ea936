import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { firstLine } from '../../../../test/support/first-line.ts';
import { inFull } from '../../../../test/support/in-full.ts';
import { createLog } from '../../../kit/base/log.ts';
import type { ChatRequest } from '../../engine.ts';
import { collect, loudness, roughness } from '../sounds-for-tests.ts';
import { createEspeakEngine } from './engine.ts';
import { findEspeakLibrary } from './library.ts';
import { createEspeakProcess, type EspeakOptions, type EspeakProcess } from './process.ts';
import { ESPEAK_SAMPLE_RATE } from './protocol.ts';
import { espeakVoiceFor, espeakVoices } from './voices.ts';

const log = createLog('silent');
const never = new AbortController().signal;
const processes: EspeakProcess[] = [];
const opened = (options: Partial<EspeakOptions> = {}) => {
  const process = createEspeakProcess({ log, ...options });
  processes.push(process);
  const { speech, ...engine } = createEspeakEngine(process);
  const speak = (text: string, voice = 'en-us', signal = never) => speech.speak({ text, voice }, signal);
  return { process, engine, speech, speak };
};
afterAll(() => Promise.all(processes.map((process) => process.close())));
const seconds = (samples: number) => samples / ESPEAK_SAMPLE_RATE;

describe.skipIf(!findEspeakLibrary())('eSpeak NG', () => {
  const { process: running, engine, speech, speak } = opened();

  it('speaks, and what it says is neither noise nor silence', async () => {
    const { pieces, samples } = await collect(speak('Hello there, how are you today?'));
    expect(seconds(samples)).toBeGreaterThan(1.2);
    expect(seconds(samples)).toBeLessThan(4);
    expect(loudness(pieces)).toBeGreaterThan(0.02);
    expect(roughness(pieces)).toBeLessThan(0.02);
  });

  it('lets the first sound leave long before the last is made', async () => {
    const stream = speak('This is a sentence of some length that takes a while to say. '.repeat(400));
    let samples = 0;
    for await (const piece of stream) {
      samples += piece.length;
      break;
    }
    expect(seconds(samples)).toBeLessThan(1);
  });

  it('offers every voice that the library has, with a language that is a proper tag', async () => {
    expect(espeakVoices).toHaveLength(140);
    expect(new Set(espeakVoices.map(({ slug }) => slug)).size).toBe(140);
    const tags = espeakVoices.flatMap(({ languages }) => languages);
    expect(() => Intl.getCanonicalLocales(tags)).not.toThrow();
    expect(new Set(tags.map((tag) => tag.split('-')[0])).size).toBeGreaterThan(100);
    for (const { identifier } of espeakVoices)
      expect(await running.phonemes(identifier, 'hello 1', never), identifier).toMatch(/\p{L}/u);
  });

  it('has a voice for each language that Kokoro speaks and for letters of other scripts', () => {
    expect(espeakVoiceFor('en-US')?.slug).toBe('en-us');
    expect(espeakVoiceFor('en-GB')?.slug).toBe('en');
    expect(espeakVoiceFor('fr-CA')?.slug).toMatch(/^fr/);
    expect(espeakVoiceFor('xx')).toBeUndefined();
  });

  it('reads every script, and gives no sound for a text without words', async () => {
    const { samples } = await collect(speak('Привет, мир! 你好。 مرحبا بالعالم'));
    expect(seconds(samples)).toBeGreaterThan(1.5);
    expect((await collect(speak(' \u{1f600} … '))).samples).toBe(0);
  });

  it('refuses a voice that it does not have', () => {
    expect(() => speak('Hello', 'nobody')).toThrow("no voice 'nobody'");
  });

  it('says that it only speaks when it is asked to chat', async () => {
    await expect(engine.complete({} as ChatRequest, never)).rejects.toMatchObject({ status: 400 });
    expect(() => engine.stream({} as ChatRequest, never)).toThrow('only speaks');
  });

  it('ends at once when the client leaves, and the next one is served', async () => {
    const controller = new AbortController();
    const reason = new Error('the client left');
    const stream = speak('Some words to say. '.repeat(500), 'en-us', controller.signal)[Symbol.asyncIterator]();
    await stream.next();
    controller.abort(reason);
    await expect(stream.next().then(() => stream.next())).rejects.toBe(reason);
    expect((await collect(speak('And now me.'))).samples).toBeGreaterThan(0);
  });

  it('lets a short speech in between the sentences of a long one', async () => {
    const controller = new AbortController();
    const long = collect(speak('A long speech has many sentences. '.repeat(300), 'en-us', controller.signal));
    const winner = await Promise.race([long.then(() => 'long'), collect(speak('Short.')).then(() => 'short')]);
    expect(winner).toBe('short');
    controller.abort(new Error('enough'));
    await expect(long).rejects.toThrow('enough');
  });

  it('killed in the middle of a speech is a 503 with Retry-After, and the next request works', async () => {
    const stream = speak('Some words to say here. '.repeat(500))[Symbol.asyncIterator]();
    await stream.next();
    const before = running.pid();
    process.kill(before ?? Number.NaN, 'SIGKILL');
    const rest = (async () => {
      while (!(await stream.next()).done);
    })();
    await expect(rest).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await collect(speak('Back again.'))).samples).toBeGreaterThan(0);
    expect(running.pid()).not.toBe(before);
    expect(speech.name).toBe('espeak-ng');
  });

  inFull.it('that hangs is ended, who waited gets a 503, and the next request works', async () => {
    const hanging = opened({ patience: { askEveryMs: 100, silentMs: 3000 } });
    await collect(hanging.speak('Up.'));
    const before = hanging.process.pid() ?? Number.NaN;
    process.kill(before, 'SIGSTOP');
    await expect(collect(hanging.speak('Hello'))).rejects.toMatchObject({ status: 503 });
    expect((await collect(hanging.speak('Back again.'))).samples).toBeGreaterThan(0);
  });

  inFull.it(
    'refuses with Retry-After when too many wait, 429 for whose they are, but nobody who has begun',
    async () => {
      const busy = opened({ waitingMax: 1 });
      const running = Array.from({ length: 2 }, () =>
        collect(busy.speak('A long speech has many sentences. '.repeat(8))),
      );
      const refusal = { headers: { 'retry-after': expect.any(String) }, message: expect.stringContaining('Too many') };
      await expect(collect(busy.speak('One too many.'))).rejects.toMatchObject({ status: 429, ...refusal });
      const other = busy.speech.speak(
        { text: 'Mine.', voice: 'en-us', tenant: { organization: 'b', key: 'k' } },
        never,
      );
      await expect(collect(other)).rejects.toMatchObject({ status: 503, ...refusal });
      for (const { samples } of await Promise.all(running)) expect(seconds(samples)).toBeGreaterThan(10);
      expect((await collect(busy.speak('Now there is room.'))).samples).toBeGreaterThan(0);
    },
  );

  it("speaks a tenant's sentence after one of another's, however many speeches that one has", async () => {
    const leaving = new AbortController();
    let sentences = 0;
    const flood = Array.from({ length: 10 }, async () => {
      const long = 'This sentence stands in a long speech. '.repeat(40);
      const tenant = { organization: 'a', key: 'k' };
      for await (const _ of speech.speak({ text: long, voice: 'en-us', tenant }, leaving.signal)) sentences++;
    });
    for (let i = 0; i < 3; i++) {
      await collect(speech.speak({ text: 'Mine.', voice: 'en-us', tenant: { organization: 'b', key: 'k' } }, never));
    }
    // By speech, each of the ten would have had a turn for each of mine.
    expect(sentences).toBeLessThan(30);
    leaving.abort(new Error('left'));
    await Promise.allSettled(flood);
  });

  inFull.it('ends when the server is killed', async () => {
    const script = `
      import { createEspeakProcess } from ${JSON.stringify(new URL('process.ts', import.meta.url).href)};
      import { createLog } from ${JSON.stringify(new URL('../../../kit/base/log.ts', import.meta.url).href)};
      const espeak = createEspeakProcess({ log: createLog('silent') });
      await espeak.phonemes('gmw/en-US', 'up', new AbortController().signal);
      console.log(espeak.pid());
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const line = await firstLine(parent);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(Number(line), 0)).toThrow('ESRCH'), { timeout: 10_000 });
  });

  it('ends with close, and refuses what comes after', async () => {
    const closing = opened();
    await collect(closing.speak('Hello'));
    const pid = closing.process.pid();
    await closing.process.close();
    expect(() => process.kill(pid ?? Number.NaN, 0)).toThrow('ESRCH');
    await expect(collect(closing.speak('Hello'))).rejects.toMatchObject({ status: 503 });
  });
});

describe('without eSpeak NG', () => {
  it('every request is a 503 that says what to install', async () => {
    const { process, engine, speak } = opened({ library: undefined });
    expect(process.isInstalled).toBe(false);
    expect(engine.state()).toMatchObject({ kind: 'failed' });
    process.start();
    expect(process.pid()).toBeUndefined();
    await expect(collect(speak('Hello'))).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '60' },
      message: expect.stringContaining('@echogarden/espeak-ng-emscripten'),
    });
  });

  it('with a broken library it says so, without a path in the words, and tries again later', async () => {
    const { engine, speak } = opened({ library: '/nowhere/espeak.js' });
    const refused = await collect(speak('Hello')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503 });
    expect(String(refused)).not.toContain('nowhere');
    expect(engine.state()).toMatchObject({ kind: 'failed' });
    await expect(collect(speak('Hello'))).rejects.toMatchObject({ status: 503 });
  });
});

describe('the process of the server', () => {
  it('never loads eSpeak NG', async () => {
    const { readFileSync, readdirSync } = await import('node:fs');
    const here = new URL('..', import.meta.url);
    const files = readdirSync(here, { recursive: true }).filter((name) => /(?<!test)\.ts$/.test(String(name)));
    const loaders = files.filter((name) => /import\(/.test(readFileSync(new URL(String(name), here), 'utf8')));
    expect(loaders.map(String).sort()).toEqual(['espeak/child.ts', 'kokoro/model.ts']);
  });
});
