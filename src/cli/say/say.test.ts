import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { createTone, type SpeechServer, serveSpeech, type ToneEngine } from '../../speech/speech-for-tests.ts';
import { run, runWithInput } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let server: SpeechServer;
let engine: ToneEngine;
const dir = temporaryDir();
beforeAll(async () => {
  engine = createTone();
  server = await serveSpeech(sqliteForTests(), { tone: engine });
});
const environment = () => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });
const here = (...words: string[]) => runHere(['say', ...words], environment());
const magic = (file: string) => readFileSync(file).toString('latin1', 0, 4);

it.each([
  ['a.wav', 'RIFF'],
  ['a.flac', 'fLaC'],
  ['a.opus', 'OggS'],
  ['a.mp3', '\u00ff\u00f3'],
])('writes %s in the format of its ending, whole or streamed, and says where', async (name, start) => {
  const file = join(dir, name);
  for (const words of [[], ['--stream']]) {
    const { code, stdout, data } = await here('Hello there.', '-o', file, ...words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`${file}: `) });
    expect(data).toMatchObject({
      file,
      format: name.slice(2),
      bytes: readFileSync(file).length,
      model: 'tone',
      engine: 'tone',
    });
    expect(magic(file).startsWith(start)).toBe(true);
  }
});

it('hands on voice, model and format', async () => {
  const file = join(dir, 'plain');
  expect(await here('Hi.', '--output', file, '--voice', 'ben', '--model', 'tone', '--format', 'pcm')).toMatchObject({
    code: 0,
  });
  expect(engine.requests.at(-1)).toMatchObject({ text: 'Hi.', voice: 'ben' });
  expect(readFileSync(file).length).toBe(2 * 0.1 * 24_000 * 4);
});

it('reads stdin, writes speech.mp3 where it stands, and never over another', async () => {
  const cwd = temporaryDir();
  const first = await run(['say', 'Hello.'], environment(), cwd);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(join(cwd, 'speech.mp3: ')) });
  const second = await run(['say', 'Hello.', '--json'], environment(), cwd);
  expect(JSON.parse(second.stdout)).toMatchObject({ file: join(cwd, 'speech-2.mp3'), format: 'mp3' });
  expect(await runWithInput(['say', '-'], environment(), 'Words from a pipe.')).toMatchObject({ code: 0 });
  expect(engine.requests.at(-1)?.text).toBe('Words from a pipe.');
});

it.each([
  ['an unknown voice', ['--voice', 'nobody'], "No voice 'nobody'"],
  ['an unknown model', ['--model', 'nobody'], 'Invalid model: nobody'],
  ['nowhere to write', ['-o', '/nowhere/at/all.mp3'], 'cannot be written (ENOENT)'],
])('with %s says so', async (_name, words, message) => {
  expect(await here('Hi.', '-o', join(dir, 'refused.mp3'), ...words)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message),
  });
  expect(existsSync(join(dir, 'refused.mp3'))).toBe(false);
});

it('with a text that has nothing in it says so', async () => {
  expect(await here(' ')).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to say') });
});

it('leaves no half file when the speech breaks off', async () => {
  const file = join(dir, 'half.wav');
  engine.breaksBefore = 1;
  expect(await here('One. Two.', '-o', file, '--stream')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Something went wrong on our side'),
  });
  expect(existsSync(file)).toBe(false);
});

it('--play plays with a player that is installed, and says so where there is none', async () => {
  const programs = join(dir, 'programs');
  mkdirSync(programs);
  const file = join(dir, 'played.mp3');
  const play = () => run(['say', 'Hi.', '-o', file, '--play', '--json'], { ...environment(), PATH: programs }, dir);
  expect(await play()).toMatchObject({ code: 0, stderr: expect.stringContaining('No installed player') });
  // The first one that is asked cannot play it, the next one can.
  writeFileSync(join(programs, 'ffplay'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  writeFileSync(join(programs, 'mpv'), `#!/bin/sh\necho "$@" > ${join(dir, 'played')}\n`, { mode: 0o755 });
  expect(JSON.parse((await play()).stdout)).toMatchObject({ file, player: 'mpv' });
  expect(readFileSync(join(dir, 'played'), 'utf8')).toBe(`--no-video --really-quiet ${file}\n`);
});
