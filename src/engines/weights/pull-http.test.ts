import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { PullFailed } from './errors.ts';
import { serveHuggingFace, sha256Of } from './huggingface-for-tests.ts';
import type { Progress } from './progress.ts';
import { type PullOptions, pull } from './pull.ts';

const server = await serveHuggingFace();
const root = mkdtempSync(join(tmpdir(), 'tramontane-http-'));
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});
afterEach(() => {
  server.moods.length = 0;
  server.ranges.length = 0;
  server.tokens.front.length = 0;
  server.tokens.store.length = 0;
});

const content = Buffer.concat([
  Buffer.from('GGUF'),
  Buffer.from(Array.from({ length: 500_000 }, (_, i) => (i * 31) >> 3)),
]);
const path = '/owner/tiny-GGUF/resolve/main/tiny.Q4_K_M.gguf';
server.files.set(path, content);
const model = 'owner/tiny-GGUF:tiny.Q4_K_M.gguf';
const freshDir = () => mkdtempSync(join(root, 'models-'));
const pullHere = (options: Partial<PullOptions> = {}) =>
  pull({
    model,
    modelsDir: freshDir(),
    environment: {},
    huggingFace: { baseUrl: server.baseUrl },
    limits: { answerMs: 1000, idleMs: 1000, pauseMs: 1 },
    ...options,
  });

describe('a pull from Hugging Face', () => {
  it('brings the file, its sha256 and nothing else', async () => {
    const modelsDir = freshDir();
    const reports: Progress[] = [];
    const pulled = await pullHere({ modelsDir, onProgress: (progress) => reports.push(progress) });
    expect(pulled).toMatchObject({
      id: 'tiny.q4_k_m',
      file: join(modelsDir, 'tiny.Q4_K_M.gguf'),
      sha256: sha256Of(content),
    });
    expect(readFileSync(pulled.file).equals(content)).toBe(true);
    expect(readdirSync(modelsDir)).toEqual(['tiny.Q4_K_M.gguf']);
    expect(reports.at(-2)).toMatchObject({ phase: 'transferring', source: 'huggingface', doneBytes: content.length });
    expect(reports.at(-1)).toMatchObject({ phase: 'checking' });
  });

  it('goes on where the connection was cut, as often as bytes arrive', async () => {
    server.moods.push({ cutAfter: 100_000 }, { cutAfter: 50_000 }, { cutAfter: 200_000 });
    const pulled = await pullHere();
    expect(pulled.sha256).toBe(sha256Of(content));
    expect(server.ranges).toEqual([undefined, 'bytes=100000-', 'bytes=150000-', 'bytes=350000-']);
  });

  it('goes on in a later run', async () => {
    const modelsDir = freshDir();
    server.moods.push({ cutAfter: 120_000 }, { status: 503 }, { status: 503 }, { status: 503 });
    await expect(pullHere({ modelsDir })).rejects.toThrow('it answered with status 503');
    expect(readdirSync(modelsDir).sort()).toEqual([
      'tiny.Q4_K_M.gguf.huggingface.partial',
      'tiny.Q4_K_M.gguf.huggingface.partial.json',
    ]);
    server.ranges.length = 0;
    expect((await pullHere({ modelsDir })).sha256).toBe(sha256Of(content));
    expect(server.ranges).toEqual(['bytes=120000-']);
  });

  it('begins anew when the file there has changed meanwhile', async () => {
    const modelsDir = freshDir();
    const changing = '/owner/changing/resolve/main/changing.gguf';
    server.files.set(changing, Buffer.from(`GGUF old ${'o'.repeat(5000)}`));
    server.moods.push({ cutAfter: 2000 }, { status: 404 });
    const options = { modelsDir, model: 'owner/changing:changing.gguf' };
    await expect(pullHere(options)).rejects.toThrow('404');
    const renewed = Buffer.from(`GGUF new ${'n'.repeat(3000)}`);
    server.files.set(changing, renewed);
    expect((await pullHere(options)).sha256).toBe(sha256Of(renewed));
  });

  it('begins anew when there is more here than there', async () => {
    const modelsDir = freshDir();
    const partial = join(modelsDir, 'tiny.Q4_K_M.gguf.huggingface.partial');
    writeFileSync(partial, Buffer.alloc(content.length + 10));
    writeFileSync(`${partial}.json`, JSON.stringify({ origin: `${server.baseUrl}${path}` }));
    expect((await pullHere({ modelsDir })).sha256).toBe(sha256Of(content));
  });

  it('removes a file whose sha256 is not the one that was asked for', async () => {
    const modelsDir = freshDir();
    const unstated = await serveHuggingFace({ statesSha256: false });
    unstated.files.set(path, content);
    const wrong = pullHere({ modelsDir, sha256: 'a'.repeat(64), huggingFace: { baseUrl: unstated.baseUrl } });
    await expect(wrong).rejects.toThrow(`sha256 ${sha256Of(content)} instead of ${'a'.repeat(64)}, and was removed`);
    expect(readdirSync(modelsDir)).toEqual([]);
    await unstated.close();
  });

  it('refuses before the transfer when the server states another sha256', async () => {
    await expect(pullHere({ sha256: 'b'.repeat(64) })).rejects.toThrow('another file under this name');
  });

  it('says that a file is not there', async () => {
    const missing = pullHere({ model: 'owner/tiny-GGUF:other.gguf' });
    await expect(missing).rejects.toThrow(PullFailed);
    await expect(missing).rejects.toThrow('Hugging Face: it does not have this file (404)');
  });

  it('gives up on a server that does not answer', async () => {
    server.moods.push('silent');
    const startMs = performance.now();
    await expect(pullHere()).rejects.toThrow('no answer within 1 s');
    expect(performance.now() - startMs).toBeLessThan(6000);
  });

  it('goes on after a transfer that stalls', async () => {
    server.moods.push('stalls');
    expect((await pullHere()).sha256).toBe(sha256Of(content));
    expect(server.ranges[1]).toBe(`bytes=${Math.floor(content.length / 2)}-`);
  });

  it('says that a server is not there at all', async () => {
    await expect(pullHere({ huggingFace: { baseUrl: 'http://127.0.0.1:1' } })).rejects.toThrow('it cannot be reached');
  });

  it('shows the token at the front door only', async () => {
    await pullHere({ huggingFace: { baseUrl: server.baseUrl, token: 'hf_secret' } });
    expect(server.tokens).toEqual({ front: ['Bearer hf_secret'], store: [undefined] });
  });

  it('does not follow redirects for ever', async () => {
    for (let i = 0; i < 10; i++) server.moods.push({ redirect: path });
    await expect(pullHere()).rejects.toThrow('in circles');
  });

  it('ends at once when it is cancelled, and goes on later', async () => {
    const modelsDir = freshDir();
    const controller = new AbortController();
    server.moods.push('stalls');
    const reason = new Error('enough');
    let nowMs = 0;
    const now = () => (nowMs += 1000);
    const onProgress = ({ doneBytes }: Progress) => doneBytes > 0 && controller.abort(reason);
    await expect(
      pullHere({ modelsDir, signal: controller.signal, limits: { idleMs: 60_000 }, onProgress, now }),
    ).rejects.toThrow(reason);
    expect(existsSync(join(modelsDir, 'tiny.Q4_K_M.gguf.lock'))).toBe(false);
    expect((await pullHere({ modelsDir })).sha256).toBe(sha256Of(content));
    expect(server.ranges[1]).toMatch(/^bytes=\d+-$/);
  });

  it('leaves alone what lies there already', async () => {
    const modelsDir = freshDir();
    await pullHere({ modelsDir });
    server.ranges.length = 0;
    expect((await pullHere({ modelsDir })).files[0]?.source).toBe('already there');
    expect(server.ranges).toEqual([]);
  });

  it('of one file by two at once fetches it once', async () => {
    const modelsDir = freshDir();
    const both = await Promise.all([pullHere({ modelsDir }), pullHere({ modelsDir })]);
    expect(both.map(({ sha256 }) => sha256)).toEqual([sha256Of(content), sha256Of(content)]);
    expect(server.ranges).toHaveLength(1);
  });

  it('refuses a disk that is too small', async () => {
    const options = { model: 'smollm2-135m-instruct', freeBytes: async () => 50_000_000 };
    await expect(pullHere(options)).rejects.toThrow('it takes 99 MB in');
  });
});

describe('a repository without a file', () => {
  it('means its Q4_K_M', async () => {
    server.files.set('/owner/tiny-GGUF/resolve/main/tiny.Q2_K.gguf', Buffer.from('GGUF'));
    expect((await pullHere({ model: 'owner/tiny-GGUF' })).id).toBe('tiny.q4_k_m');
  });

  it('is asked back about when nothing is preferred', async () => {
    for (const name of ['a.gguf', 'b.gguf']) server.files.set(`/owner/two/resolve/main/${name}`, Buffer.from('GGUF'));
    await expect(pullHere({ model: 'owner/two' })).rejects.toThrow('Name one: owner/two:a.gguf, owner/two:b.gguf');
  });

  it('is unknown when it is', async () => {
    await expect(pullHere({ model: 'owner/nothing' })).rejects.toThrow('cannot be listed');
  });
});

describe('a pull by address', () => {
  it('brings any GGUF', async () => {
    const pulled = await pullHere({ model: `${server.baseUrl}${path}` });
    expect(pulled).toMatchObject({ id: 'tiny.q4_k_m', sha256: sha256Of(content) });
  });

  it('does not keep a page that is no model', async () => {
    const modelsDir = freshDir();
    const unstated = await serveHuggingFace({ statesSha256: false });
    unstated.files.set('/login.gguf', Buffer.from('<html>please log in</html>'));
    await expect(pullHere({ modelsDir, model: `${unstated.baseUrl}/login.gguf` })).rejects.toThrow('is not a GGUF');
    expect(readdirSync(modelsDir)).toEqual([]);
    await unstated.close();
  });

  it('wants https, or the sha256', async () => {
    await expect(pullHere({ model: 'http://models.example/x.gguf' })).rejects.toThrow('https');
  });
});

describe('a pull by path', () => {
  it('copies the file and leaves the original', async () => {
    const own = join(root, 'own.gguf');
    writeFileSync(own, content);
    const pulled = await pullHere({ model: own });
    expect(readFileSync(pulled.file).equals(readFileSync(own))).toBe(true);
    expect(pulled.id).toBe('own');
  });

  it('refuses another file under a name of the catalogue', async () => {
    const own = join(root, 'SmolLM2-135M-Instruct.Q4_1.gguf');
    writeFileSync(own, content);
    await expect(pullHere({ model: own })).rejects.toThrow('and was removed');
  });

  it.each(['./gone.gguf', 'nothing-known', 'model-00001-of-00003.gguf', 'C:\\x.gguf'])(
    '%s is explained',
    async (what) => {
      await expect(pullHere({ model: what })).rejects.toThrow(PullFailed);
    },
  );
});
