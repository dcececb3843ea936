import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { startScriptedModel } from '../examples/scripted-model.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { python } from '../support/python.ts';
import { type Reader, readers } from './page-readers.ts';
import { type Block, readBlocks } from './read-blocks.ts';
import { readPages, root } from './read-markdown.ts';
import { runElsewhere, unrunnable } from './unrunnable-blocks.ts';

const PATIENCE_MS = 180_000;
const pages = readPages()
  .filter(({ path }) => path === 'README.md' || /^docs\/[\w-]+\.md$/.test(path))
  .map(({ path, text }) => ({ path, blocks: readBlocks(text) }));

const whyNot = (page: string, { code }: Block) =>
  unrunnable.find(({ page: of, begins }) => of === page && code.startsWith(begins))?.reason;

describe('the blocks of the pages', () => {
  it('that are YAML are files that the program reads', () => {
    for (const { path, blocks } of pages)
      for (const { language, code } of blocks) {
        if (language !== 'yaml') continue;
        const file = join(temporaryDir(), 'tramontane.yaml');
        writeFileSync(file, code);
        const named = [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'a value']);
        expect(() => readConfigFile(file, Object.fromEntries(named)), `${path}\n${code}`).not.toThrow();
      }
  });

  it('that are not run have a reason, and no reason is for a block that is gone', () => {
    for (const { page, begins } of unrunnable) {
      const { blocks = [] } = pages.find(({ path }) => path === page) ?? {};
      expect([page, begins, blocks.filter(({ code }) => code.startsWith(begins)).length]).toEqual([page, begins, 1]);
    }
    for (const [page, program] of Object.entries(runElsewhere)) {
      expect(
        pages.some(({ path }) => path === page),
        page,
      ).toBe(true);
      expect(existsSync(join(root, program)), program).toBe(true);
    }
    expect(unrunnable.length).toBeLessThanOrEqual(26);
  });
});

const runnable = pages
  .filter(({ path }) => !(path in runElsewhere))
  .map(({ path, blocks }) => ({
    path,
    blocks: blocks.filter((block) => block.language !== 'yaml' && !whyNot(path, block)),
  }))
  .filter(({ blocks }) => blocks.length > 0);

inFull.describe('on a fresh data directory, every block runs as it is printed:', { timeout: PATIENCE_MS }, () => {
  it.each(runnable)('$path', async ({ path, blocks }) => {
    const reader = readers[path] ?? {};
    const place = await openPlace(reader);
    let printed = '';
    for (const { language, code } of blocks) {
      if (reader.stopsBefore && code.startsWith(reader.stopsBefore)) await place.stopServer();
      for (const [name, pattern] of Object.entries(reader.copies ?? {})) {
        const [, value] = pattern.exec(printed) ?? [];
        if (value) place.env[name] = value;
      }
      if (language === 'python' && !python) continue;
      const { code: exit, output } = await place.run(language, code);
      expect(exit, `${path}\n${code}\n${output}`).toBe(0);
      // A curl that was refused ends with 0.
      expect(output, `${path}\n${code}`).not.toMatch(/"object":"error"|"detail":/);
      printed += output;
    }
  });
});

type Place = {
  env: Record<string, string>;
  run(language: string, code: string): Promise<{ code: number | null; output: string }>;
  stopServer(): Promise<void>;
};

/** A folder of the reader's own, in which the checkout's command is installed, and a server that the reader started. */
async function openPlace(reader: Reader): Promise<Place> {
  const folder = temporaryDir();
  const url = `http://127.0.0.1:${await freePort()}`;
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\n[ "$1" = tramontane ] && shift && exec "${process.execPath}" "${join(root, 'bin/tramontane.js')}" "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 });
  const { extraModels = [], ...file } = (await reader.file?.()) ?? {};
  const { url: model } = await startScriptedModel();
  const models = [
    { id: 'scripted', engine: 'upstream', url: model, kind: 'chat', capabilities: { function_calling: true } },
    { id: 'espeak-ng', engine: 'espeak' },
    { id: 'tesseract', engine: 'tesseract' },
    ...(extraModels as object[]),
  ];
  writeFileSync(join(folder, 'tramontane.yaml'), stringify({ models, builtin: false, ...file }));
  reader.prepare?.(folder);
  const env: Record<string, string> = {
    PATH: [join(folder, 'bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    HOME: folder,
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    PYTHONIOENCODING: 'utf-8',
    TRAMONTANE_URL: url,
    TRAMONTANE_PORT: new URL(url).port,
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    TRAMONTANE_API_KEY: randomBytes(24).toString('hex'),
    TRAMONTANE_DATA_DIR: join(folder, 'data'),
    TRAMONTANE_CONFIG: join(folder, 'tramontane.yaml'),
    TRAMONTANE_AUTO_PULL: 'off',
    ...reader.env,
  };
  const start = (program: string, args: string[], more: Record<string, string> = {}) =>
    spawn(program, args, { cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const cli = join(root, 'bin/tramontane.js');
  const server = start(process.execPath, [cli, 'start'], {
    TRAMONTANE_BOOTSTRAP_API_KEY: env.TRAMONTANE_API_KEY ?? '',
  });
  const stopServer = stopAtEnd(server);
  await expect
    .poll(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status, { timeout: 60_000 })
    .toBe(200);
  for (const [path, body] of reader.has ?? []) {
    const headers = { authorization: `Bearer ${env.TRAMONTANE_API_KEY}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
  }
  if (reader.works) {
    stopAtEnd(start(process.execPath, [cli, 'worker', reader.works]));
    const headers = { authorization: `Bearer ${env.TRAMONTANE_API_KEY}` };
    const path = `${url}/v1/workflows/greet`;
    await expect.poll(async () => (await fetch(path, { headers })).status, { timeout: 60_000 }).toBe(200);
  }
  return {
    env,
    stopServer,
    async run(language, code) {
      const here = code.replaceAll('http://127.0.0.1:4747', url).replaceAll('/backups', join(folder, 'backups'));
      const [program, args] = commandFor(language, here);
      const child = start(program, args);
      const [stdout, stderr, [exit]] = await Promise.all([
        text(child.stdout as NonNullable<typeof child.stdout>),
        text(child.stderr as NonNullable<typeof child.stderr>),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return { code: exit, output: `${stdout}${stderr}` };
    },
  };

  function commandFor(language: string, code: string): [string, string[]] {
    if (language === 'python') return [python ?? '', ['-c', code]];
    if (language !== 'ts') return ['sh', ['-ec', code]];
    // As a project that has the packages.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return [process.execPath, ['--input-type=module-typescript', '--eval', code]];
  }
}

function stopAtEnd(child: ChildProcess): () => Promise<void> {
  const ended = once(child, 'exit');
  child.stdout?.resume();
  child.stderr?.resume();
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  };
  atEnd(stop);
  return stop;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
