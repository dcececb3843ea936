import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { audioFixture } from '../../engines/transcribe/sounds-for-tests.ts';
import { startTranscriber } from '../../transcription/upstream-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let server: TestServer;
const dir = temporaryDir();
const talk = audioFixture('opus.ogg');
beforeAll(async () => {
  const { url } = await startTranscriber();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'ear', engine: 'upstream', url, kind: 'transcription' }] },
  });
});
const transcribe = (...words: string[]) =>
  runHere(['transcribe', ...words], { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });

it.each([
  ['text', 'Good morning. How are you?\n'],
  ['srt', '1\n00:00:00,000 --> 00:00:01,500\nGood morning.\n\n2\n00:00:01,600 --> 00:00:03,200\nHow are you?\n'],
  ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nGood morning.\n'],
  ['json', '"language": "en"'],
])('prints %s', async (format, wanted) => {
  const { code, stdout } = await transcribe(talk, '--format', format);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(wanted) });
});

it('writes several files into a directory, each under its own name', async () => {
  const out = join(dir, 'texts');
  const { code, stdout } = await transcribe(talk, audioFixture('speech.mp3'), '--format', 'srt', '--out', out);
  expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 });
  for (const name of ['opus.srt', 'speech.srt'])
    expect(readFileSync(join(out, name), 'utf8')).toContain('00:00:01,500');
});

it.each([
  ['a file that is not there', [join(dir, 'nothing.wav')], 1, 'cannot be read (ENOENT)'],
  ['an unknown model', [talk, '--model', 'nobody'], 1, 'Invalid model: nobody'],
])('says so with %s', async (_name, words, code, message) => {
  expect(await transcribe(...words)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

it.each([
  ['no file', [], 'needs <file>'],
  ['an unknown format', [talk, '--format', 'pdf'], 'must be one of text, srt, vtt, json'],
])('explains its usage with %s', async (_name, words, message) => {
  await expect(transcribe(...words)).rejects.toThrow(message);
});
