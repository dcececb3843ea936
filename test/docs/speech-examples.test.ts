import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../../src/cli/run-here-for-tests.ts';
import { createTone, type SpeechServer, serveSpeech } from '../../src/speech/speech-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { python } from '../support/python.ts';
import { codeBlocks, readText, root } from './read-markdown.ts';

const page = readText('docs/speech.md');

describe('the examples of the page on speech', () => {
  let server: SpeechServer;
  const dir = temporaryDir();
  const environment = () => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });
  const execute = (program: string, words: string[], cwd: string) =>
    promisify(execFile)(program, words, { cwd, env: { PATH: process.env.PATH, ...environment() } });
  const magic = (name: string) => readFileSync(join(dir, name)).toString('latin1', 0, 4);
  beforeAll(async () => {
    server = await serveSpeech(sqliteForTests(), { tone: createTone() });
    process.chdir(dir);
  });

  it('for a shell', async () => {
    const [request = '', commands = ''] = codeBlocks(page, 'sh');
    const path = /TRAMONTANE_URL(\S+)"/.exec(request)?.[1] ?? '';
    const { body } = await call(server, path, { body: JSON.parse(/-d '(.+)'/s.exec(request)?.[1] ?? '') });
    expect(Buffer.from((body as { audio_data: string }).audio_data, 'base64').toString('latin1', 0, 4)).toBe('RIFF');
    const lines = commands.trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      expect(await runHere(words.slice(2), environment()), line).toMatchObject({ code: 0 });
    }
    expect([magic('morning.flac'), magic('story.opus')]).toEqual(['fLaC', 'OggS']);
  });

  inFull.it('in TypeScript', async () => {
    const [block = ''] = codeBlocks(page, 'ts');
    const code = block.replace("'story.opus'", JSON.stringify(join(dir, 'typescript.opus')));
    await execute(process.execPath, ['--input-type=module', '--eval', code], root);
    expect(magic('typescript.opus')).toBe('OggS');
  });

  inFull.given(python).it('in Python', async () => {
    const [block = ''] = codeBlocks(page, 'python');
    await execute(python ?? '', ['-c', block.replace('morning.flac', 'python.flac')], dir);
    expect(magic('python.flac')).toBe('fLaC');
  });
});
