import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { startScriptedModel } from '../examples/scripted-model.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { codeBlocks, readText, root } from './read-markdown.ts';

const PATIENCE_MS = 120_000;
const readme = readText('README.md');
const tour = readme.slice(readme.indexOf('<!-- tour'), readme.indexOf('<!-- /tour -->'));
const [sdk = ''] = codeBlocks(tour, 'ts');
const [pythonSdk = ''] = codeBlocks(tour, 'python');
const [ask = '', prompt = '', workflow = '', approve = '', ...others] = codeBlocks(tour, 'sh');

let server: TestServer;
let folder: string;
beforeAll(async () => {
  const { url } = await startScriptedModel();
  server = await startTestServer(sqliteForTests(), { file: { models: [{ id: 'small', engine: 'upstream', url }] } });
  folder = temporaryDir();
  // In a clone npx finds the command of the checkout.
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\n[ "$1" = tramontane ] && shift && exec "${process.execPath}" "${join(root, 'bin/tramontane.js')}" "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 });
});

/** Starts a program as the reader of the tour does; only the address is the one of the test. */
function start(program: string, args: string[], cwd = folder): ChildProcess {
  const path = [join(folder, 'bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { PATH: path, TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key };
  return spawn(program, args, { cwd, env, detached: true });
}

async function finish(child: ChildProcess, input = ''): Promise<string> {
  child.stdin?.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/error/i) });
  return stdout;
}

const here = (block: string) => block.replaceAll('http://127.0.0.1:4747', server.url);
const shell = (block: string, input?: string) => finish(start('sh', ['-ec', here(block)]), input);

describe("the README's tour", { timeout: PATIENCE_MS }, () => {
  it('has no block that is not run here', () => {
    expect([ask, sdk, pythonSdk, prompt, workflow, approve].filter((block) => block.trim() === '')).toEqual([]);
    expect(others).toEqual([]);
    expect(tour.match(/^```\w/gm)).toHaveLength(6);
  });

  it('asks a model with curl and with both official SDKs', async () => {
    expect(await shell(ask)).toContain('The tramontane, from the north.');
    const runs = [finish(start(process.execPath, ['--input-type=module-typescript', '-e', here(sdk)], root))];
    if (python) runs.push(finish(start(python, ['-c', here(pythonSdk)])));
    for (const printed of await Promise.all(runs)) expect(printed).toBe('The tramontane, from the north.\n');
  });

  it('stores a prompt and calls it as a model', async () => {
    expect(await shell(prompt)).toContain('You told me: Greet Ms Ito in one sentence.');
    expect((await call(server, '/v2/prompts/greeting?alias=production')).body).toMatchObject({ version: 1 });
  });

  it('runs a workflow whose draft a person approves', async () => {
    const worker = start('sh', ['-ec', here(workflow)]);
    const ended = new Promise((resolve) => worker.once('close', resolve));
    atEnd(async () => {
      process.kill(-(worker.pid ?? 0), 'SIGTERM');
      await ended;
    });
    await expect
      .poll(async () => (await call(server, '/v1/workflows/support-agent')).status, { timeout: 60_000 })
      .toBe(200);
    const printed = await shell(approve, 'y\n');
    expect(printed).toContain('Send this to ann@example.com?');
    expect(printed).toMatch(/COMPLETED: \{"sent":true,/);
  });
});

describe('the README', () => {
  it('is of a size that is read: at most 200 lines, with pictures in both themes', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(200);
    const pictures = [...readme.matchAll(/docs\/pictures\/([\w-]+)-(light|dark)\./g)].map(([, name]) => name);
    for (const name of new Set(pictures))
      expect(
        pictures.filter((one) => one === name),
        name,
      ).toHaveLength(2);
  });
});
