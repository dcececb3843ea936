import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { installFromCheckout, pack, stagePackage } from '../../quality/build/stage-package.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { builtPackage } from '../support/programs.ts';
import { isFull } from '../support/rounds.ts';
import { startUpstream } from '../support/upstream.ts';
import { type Installed, startInstalled } from './run-installed.ts';

const dir = temporaryDir();
const project = join(dir, 'project');
const data = join(dir, 'data');
const config = join(dir, 'tramontane.yaml');
let staged = '';
let launcher = '';
const node = (...args: string[]): [string, ...string[]] => [process.execPath, launcher, ...args];

const ask = ({ url, key }: Installed) =>
  new Mistral({ serverURL: url, apiKey: key, retryConfig: { strategy: 'none' } }).chat.complete({
    model: 'small',
    messages: [{ role: 'user', content: 'hello' }],
  });

beforeAll(async () => {
  // The pages of the guide, and packing, cost more than all the rest.
  staged = isFull ? await stagePackage(dir) : builtPackage();
  mkdirSync(project);
  launcher = installFromCheckout(isFull ? pack(staged, dir) : staged, project);
  const upstream = await startUpstream();
  const models = [{ id: 'small', engine: 'upstream', url: upstream.url }];
  writeFileSync(config, JSON.stringify({ models }));
});

describe('the package', () => {
  it('serves an official SDK, the console and the reference from an empty folder, and again after a restart', async () => {
    const first = await startInstalled(node('start'), { dataDir: data, config });
    expect((await ask(first)).choices[0]?.message?.content).toBe('You said: hello');
    const page = await vi.waitFor(async () => {
      const html = await (await fetch(`${first.url}/console/`)).text();
      expect(html).toContain('/console/assets/');
      return html;
    });
    const script = /\/console\/assets\/[\w.-]+\.js/.exec(page)?.[0] ?? '';
    const pages = isFull ? ['/docs/guide/', '/docs/guide/install.html'] : [];
    for (const path of [script, '/docs/swagger-ui-bundle.js', '/openapi.json', ...pages])
      expect((await fetch(first.url + path)).status, path).toBe(200);
    await first.stop();

    execFileSync(process.execPath, [launcher, 'init', 'flows'], { cwd: dir });
    const second = await startInstalled(node('start', '--workflows', join(dir, 'flows')), { dataDir: data, config });
    expect((await ask(second)).choices[0]?.message?.content).toBe('You said: hello');
    const headers = { authorization: `Bearer ${second.key}` };
    // The worker of the package runs the project's files, which bring no packages of their own.
    await vi.waitFor(
      async () => {
        const workflows = await (await fetch(`${second.url}/v1/workflows`, { headers })).text();
        expect(workflows).toContain('support-agent');
      },
      { timeout: 20_000, interval: 200 },
    );
    await second.stop();
    // Nothing was built, and nothing written where the package lies.
    for (const name of ['console', 'guide']) expect(readdirSync(data)).not.toContain(name);
  });

  it('has everything that runs as JavaScript with source maps, and no source, test or tool of ours', () => {
    const installed = join(project, 'node_modules/tramontane');
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((file) => `/${file}`);
    const tops = new Set(files.map((file) => file.split('/')[1]));
    expect([...tops].sort()).toEqual(
      ['LICENSE', 'NOTICE', 'README.md', 'bin', 'dist', 'openapi', 'package.json'].sort(),
    );
    const sources = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.includes('/example/'));
    expect(sources).toEqual([]);
    const ours = /\/dist\/(chunks|cli|engines|kit|speech)\/.*(?<!rolldown-runtime-.*)\.js$/;
    const bundled = files.filter((file) => ours.test(file));
    expect(bundled.filter((file) => !files.includes(`${file}.map`))).toEqual([]);
  });

  it('names every package whose code it contains, with its licence and in its bill of materials', () => {
    const dist = join(project, 'node_modules/tramontane/dist');
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const bill = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string; scope: string; licenses?: object[] }[];
    };
    for (const name of ['fastify', 'zod', 'kysely', 'react', 'swagger-ui-dist', 'node-llama-cpp']) {
      expect(notices, name).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
      expect(bill.components.map((component) => component.name)).toContain(name);
    }
    expect(bill.components.find(({ name }) => name === 'onnxruntime-node')).toMatchObject({ scope: 'optional' });
    expect(bill.components.filter(({ version, licenses }) => !version || !licenses)).toEqual([]);
    // Only a process of its own may load GPL code, so none may be inside.
    const inside = notices.match(/^\S+ \d[^ ]* \(.*GPL.*\)$/gm);
    expect(inside).toBeNull();
  });

  inFull.it(
    'leaves its optional packages out politely: it starts, and says which command adds what is missing',
    async () => {
      // As "npm install -g" lays it out.
      const bare = join(dir, 'gateway/lib');
      const bareLauncher = installFromCheckout(staged, bare, { optional: false });
      const embedded = join(dir, 'embedded.yaml');
      const { models } = JSON.parse(readFileSync(config, 'utf8')) as { models: object[] };
      const tiny = { id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct' };
      writeFileSync(embedded, JSON.stringify({ models: [...models, tiny, { id: 'reader', engine: 'tesseract' }] }));
      const server = await startInstalled([process.execPath, bareLauncher, 'start'], {
        dataDir: join(dir, 'gateway-data'),
        config: embedded,
      });
      expect((await ask(server)).choices[0]?.message?.content).toBe('You said: hello');
      const refused = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({
        code: 'package_missing',
        message: expect.stringMatching(/npm install -g --ignore-scripts @node-llama-cpp\/[\w-]+@\d/),
      });
      await server.stop();
      const env = {
        PATH: process.env.PATH,
        TRAMONTANE_DATA_DIR: join(dir, 'gateway-data'),
        TRAMONTANE_CONFIG: embedded,
      };
      const run = (...args: string[]) =>
        spawnSync(process.execPath, [bareLauncher, ...args], { encoding: 'utf8', env });
      expect(run('console', 'build')).toMatchObject({ status: 0, stdout: expect.stringContaining('built already') });
      // Doctor tries the code interpreter, which takes its time.
      if (!isFull) return;
      const { stdout } = run('doctor');
      expect(stdout).toMatch(/warn .*sharp, tesseract\.js are not installed, so reader cannot be served/);
      expect(stdout).toMatch(/fix: run "npm install -g .*sharp@/);
    },
  );

  it('has the workflows package inside as it is published, with declarations for each door', () => {
    const built = join(project, 'node_modules/tramontane/dist/workflows');
    const { exports } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as {
      exports: Record<string, { types: string; default: string }>;
    };
    for (const { types, default: code } of Object.values(exports))
      expect([existsSync(join(built, types)), existsSync(join(built, code))]).toEqual([true, true]);
  });
});
