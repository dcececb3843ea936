import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { presetIds } from '../../operator/model-settings.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';
import { PRESETS } from './presets.ts';

describe('models', () => {
  it('catalog shows what is known by name, with licence, size and sources', async () => {
    const { code, data } = await runJson(['models', 'catalog']);
    expect(code).toBe(0);
    const models = data as Record<string, unknown>[];
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['smollm2-135m-instruct', 'qwen2.5-coder-1.5b-instruct', 'all-minilm-l6-v2']),
    );
    for (const { licence, bytes, memory_bytes, sources, sha256 } of models) {
      expect([licence, bytes, memory_bytes, sources, sha256].every(Boolean)).toBe(true);
    }
    expect((await run(['models', 'catalog'])).stdout).toMatch(
      /^ID +FOR +LICENCE +SIZE +MEMORY +SPEED +TOOLS +SOURCES$/m,
    );
  });

  it('list and rm see a GGUF file that was put into the models dir', async () => {
    const environment = { TRAMONTANE_MODELS_DIR: temporaryDir() };
    writeFileSync(join(environment.TRAMONTANE_MODELS_DIR, 'own.gguf'), 'GGUF');
    const { data } = await runJson(['models', 'list'], environment);
    expect(data).toMatchObject([{ purpose: 'chat', bytes: 4 }]);
    const [{ id }] = data as [{ id: string }];
    expect((await run(['models', 'rm', id], environment)).stdout).toContain(`Deleted ${id}`);
    expect((await run(['models', 'list'], environment)).stdout).toContain('No weights in');
    expect(await run(['models', 'rm', id], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no model '${id}'`),
    });
  });

  it('add registers an adapter as a fine-tuned model of the workspace', async () => {
    const { environment } = await preparePlatform();
    const dir = join(environment.TRAMONTANE_DATA_DIR ?? '', '..');
    writeFileSync(
      join(dir, 'tramontane.yaml'),
      'models:\n  - { id: base, engine: llama, weights: smollm2-135m-instruct }\n  - { id: far, engine: upstream, url: "http://127.0.0.1:9/v1" }\n',
    );
    mkdirSync(join(dir, 'adapters'));
    const adapter = join(dir, 'adapters', 'a.gguf');
    writeFileSync(adapter, 'GGUF');
    const { code, data } = await runJson(
      ['models', 'add', '--base', 'base', '--adapter', adapter, '--name', 'Mine'],
      environment,
    );
    expect(code).toBe(0);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^ft:base:[0-9a-f-]{36}:\d{8}:[0-9a-f]{8}$/),
      root: 'base',
      adapter,
      name: 'Mine',
      archived: false,
    });
    for (const [args, message] of [
      [['--base', 'nothing', '--adapter', adapter], "There is no base model 'nothing'. Configured: base, far."],
      [['--base', 'far', '--adapter', adapter], 'only llama models can carry an adapter'],
      [['--base', 'base'], 'Say which weights'],
      [['--base', 'base', '--adapter', '/nowhere.gguf'], 'There is no file /nowhere.gguf.'],
    ] as const) {
      const failed = await run(['models', 'add', ...args], environment);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    }
  }, 60_000);
});

describe('models of other servers', () => {
  it('are stored, listed with their source, and removed, with a key that is named by a variable', async () => {
    expect(PRESETS).toEqual(presetIds);
    const { environment } = await preparePlatform();
    const own = { ...environment, SOME_KEY: 'sk-secret' };
    const stored = await runJson(
      [
        ...[
          'models',
          'connect',
          'gpt',
          '--preset',
          'openai',
          '--model',
          'gpt-5',
          '--key',
          'SOME_KEY',
          '--aliases',
          'a,b',
        ],
        ...['--requests-per-minute', '60', '--tokens-per-minute', '90000'],
      ],
      own,
    );
    expect(stored).toMatchObject({
      code: 0,
      data: { id: 'gpt', source: 'database', aliases: ['a', 'b'], targets: [{ has_api_key: true }] },
    });
    const limits = { requests_per_minute: 60, tokens_per_minute: 90_000 };
    expect(stored).toMatchObject({ data: { limits } });
    const listed = await run(['models', 'served'], own);
    expect(listed.stdout).toMatch(/^gpt +database +upstream +https:\/\/api\.openai\.com\/v1/m);
    expect(listed.stdout).not.toContain('sk-secret');
    for (const [args, message] of [
      [['connect', 'gpt', '--preset', 'openai'], 'belongs to a stored model'],
      [['connect', 'other'], 'Say where it is'],
      [['connect', 'other', '--url', 'http://127.0.0.1:8000/v1'], 'private_network'],
      [['connect', 'other', '--preset', 'openai', '--key', 'NOT_SET'], 'no variable NOT_SET'],
      [['connect', 'other', '--url', 'nowhere'], 'http or https address'],
      [['connect', 'other', '--preset', 'openai', '--requests-per-minute', 'few'], 'takes a number'],
      [['connect', 'other', '--preset', 'openai', '--tokens-per-minute', '0'], 'limits.tokens_per_minute'],
      [['disconnect', 'other'], "No stored model 'other'"],
    ] as const)
      expect((await run(['models', ...args], own)).stderr).toContain(message);
    expect(await runJson(['models', 'disconnect', 'gpt'], own)).toMatchObject({ code: 0, data: { deleted: true } });
  }, 60_000);
});

describe('pull', () => {
  it('takes a local file as it is', async () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, 'tiny.gguf'), 'GGUF');
    const { code, data } = await runJson(['pull', join(dir, 'tiny.gguf')], {
      TRAMONTANE_MODELS_DIR: join(dir, 'models'),
    });
    expect({ code, data }).toMatchObject({ code: 0, data: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  });

  it('says how to serve what it brought', async () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, 'tiny.gguf'), 'GGUF');
    const { stdout } = await run(['pull', join(dir, 'tiny.gguf')], { TRAMONTANE_MODELS_DIR: join(dir, 'models') });
    expect(stdout).toMatch(/add this under models: in .+\n +- \{ id: "(\S+)", engine: llama, weights: "\1" \}/);
  });

  it('of something unknown fails with what to do', async () => {
    expect(await run(['pull', 'no-such-model'], { TRAMONTANE_MODELS_DIR: temporaryDir() })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/catalog/),
    });
  });
});
