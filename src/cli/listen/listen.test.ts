import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { toPcm16, toWav } from '../../engines/upstream/pcm.ts';
import { startTranscriber, TRANSCRIPT } from '../../transcription/upstream-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let server: TestServer;
let transcriber: Awaited<ReturnType<typeof startTranscriber>>;
const dir = temporaryDir();
const tone = Float32Array.from({ length: 16_000 }, (_, at) => 0.5 * Math.sin(at / 10));
const talk = join(dir, 'talk.wav');
beforeAll(async () => {
  writeFileSync(talk, toWav(tone, 16_000));
  transcriber = await startTranscriber();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'ear', engine: 'upstream', url: transcriber.url, kind: 'transcription' }] },
  });
});
const listen = (words: string[], environment: Record<string, string> = {}) => {
  transcriber.live.sound.length = 0;
  return runHere(['listen', ...words], { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key, ...environment });
};
const heard = () => Buffer.concat(transcriber.live.sound);

it('prints the words of a WAV file as they come', async () => {
  const { code, stdout, stderr } = await listen(['--from', talk, '--language', 'en']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${TRANSCRIPT.text}\n`, stderr: '' });
  expect(heard().equals(toPcm16(tone))).toBe(true);
});

it('takes raw samples of another rate, and under --json each message is a line', async () => {
  const raw = join(dir, 'talk.raw');
  writeFileSync(raw, Buffer.from(tone.buffer));
  const { code, data } = await listen(['--from', raw, '--rate', '8000', '--encoding', 'f32le', '--json']);
  expect({ code, data }).toMatchObject({ code: 0, data: { type: 'transcription.done', text: TRANSCRIPT.text } });
  expect(heard().length).toBeCloseTo(2 * 32_000, -3);
});

it('records with the program that is there, and ends it', async () => {
  // A recorder that has one second and then fails, as when a microphone is unplugged.
  const programs = temporaryDir();
  const recorder = join(programs, 'arecord');
  writeFileSync(
    recorder,
    `#!/bin/sh\necho "$@" > ${join(programs, 'args')}\n/bin/cat ${talk}\necho unplugged >&2\nexit 1\n`,
  );
  chmodSync(recorder, 0o755);
  const { code, stderr } = await listen([], { PATH: programs });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/Listening with arecord and ear[\s\S]*arecord cannot record: unplugged/),
  });
  expect(readFileSync(join(programs, 'args'), 'utf8')).toContain('-f S16_LE -r 16000 -c 1');
});

it.each([
  ['no program that records', [], 'no program here that records', { PATH: dir }],
  ['a file that is not there', ['--from', join(dir, 'nothing.wav')], 'cannot be read (ENOENT)', {}],
  ['an unknown model', ['--from', talk, '--model', 'nobody'], 'Invalid model: nobody', {}],
  ['a file in stereo', ['--from', join(dir, 'stereo.wav')], 'must have one channel', {}],
])('says so with %s', async (_name, words, message, environment) => {
  const stereo = toWav(tone, 16_000);
  stereo.writeUInt16LE(2, 22);
  writeFileSync(join(dir, 'stereo.wav'), stereo);
  expect(await listen(words, environment)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});

it.each([
  [['--rate', 'fast'], '--rate must be'],
  [['--delay', 'soon'], '--delay must be'],
])('explains its usage with %j', async (words, message) => {
  expect(await listen(['--from', talk, ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
