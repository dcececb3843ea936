import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../test/support/databases.ts';
import { ConfigError, loadConfig } from './config.ts';
import { FileConfig } from './schema.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryDir();
});

const load = (environment: Record<string, string> = {}) =>
  loadConfig({ TRAMONTANE_DATA_DIR: join(dir, 'data'), ...environment });

function loadFile(text: string, environment: Record<string, string> = {}) {
  writeFileSync(join(dir, 'tramontane.yaml'), text);
  return load(environment);
}

function complaint(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was complained about');
}

describe('without any setting', () => {
  it('binds to loopback, stores in the data dir and serves the default models', () => {
    expect(load()).toMatchObject({
      host: '127.0.0.1',
      port: 4747,
      database: { kind: 'sqlite', file: join(dir, 'data', 'tramontane.db') },
      modelsDir: join(dir, 'data', 'models'),
      bootstrap: { ownerEmail: 'owner@localhost', apiKey: undefined, adminKey: undefined },
      logLevel: 'info',
      file: {
        models: [
          { engine: 'llama' },
          { engine: 'onnx' },
          { engine: 'onnx' },
          { engine: 'kokoro' },
          { engine: 'espeak' },
          { engine: 'tesseract' },
          { engine: 'whisper' },
        ],
        server: { drain_seconds: 30, body_limit_mib: 10 },
        outbound: { allow: [] },
      },
      configFile: undefined,
      warnings: [],
    });
  });

  it('knows them as built-in ones, as with an empty file: what an operator adds goes before them', () => {
    const [without, withFile] = [load(), loadFile('')].map(({ file }) => file.models);
    expect(without).toEqual(withFile);
    expect(without?.every(({ isBuiltin }) => isBuiltin)).toBe(true);
  });
});

describe('Temporal', () => {
  it('is where workflows run when its address is set, in namespaces of a name that can be chosen', () => {
    expect(load().temporal).toBeUndefined();
    const address = { TRAMONTANE_TEMPORAL_ADDRESS: 'temporal.internal:7233' };
    expect(load(address).temporal).toEqual({ address: 'temporal.internal:7233', namespace: 'tramontane' });
    expect(load({ ...address, TRAMONTANE_TEMPORAL_NAMESPACE: 'live' }).temporal?.namespace).toBe('live');
  });
});

describe('the environment', () => {
  it.each([
    [{ TRAMONTANE_PORT: '70000' }, "TRAMONTANE_PORT must be a number from 0 to 65535, not '70000'."],
    [{ TRAMONTANE_PORT: 'http' }, "TRAMONTANE_PORT must be a number from 0 to 65535, not 'http'."],
    [{ TRAMONTANE_DATABASE_URL: 'mysql://x' }, 'TRAMONTANE_DATABASE_URL must look like postgres://'],
    [{ TRAMONTANE_BOOTSTRAP_API_KEY: 'short' }, 'TRAMONTANE_BOOTSTRAP_API_KEY must have at least 32 characters'],
    [
      { TRAMONTANE_TEMPORAL_ADDRESS: 'http://x:1' },
      'TRAMONTANE_TEMPORAL_ADDRESS must look like temporal.internal:7233',
    ],
    [
      { TRAMONTANE_TEMPORAL_ADDRESS: 'x:7233', TRAMONTANE_TEMPORAL_NAMESPACE: '-' },
      'TRAMONTANE_TEMPORAL_NAMESPACE must be 1 to 100 letters',
    ],
    [{ TRAMONTANE_TEMPORAL_GATEWAY_PORT: '-1' }, 'TRAMONTANE_TEMPORAL_GATEWAY_PORT must be a number from 0 to 65535'],
    [
      { TRAMONTANE_TEMPORAL_GATEWAY_URL: 'x:1' },
      'TRAMONTANE_TEMPORAL_GATEWAY_URL must begin with http:// or https://.',
    ],
    [{ TRAMONTANE_PUBLIC_URL: 'example.org' }, 'TRAMONTANE_PUBLIC_URL must begin with http:// or https://.'],
    [
      { TRAMONTANE_LOG_LEVEL: 'loud' },
      "TRAMONTANE_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not 'loud'.",
    ],
    [{ TRAMONTANE_CONFIG: '/nowhere/x.yaml' }, '/nowhere/x.yaml: TRAMONTANE_CONFIG names a file that does not exist.'],
  ])('%j is refused with what to do', (environment, expected) => {
    expect(complaint(() => load(environment as Record<string, string>))).toContain(expected);
  });

  it('names a misspelled variable and the one that was meant', () => {
    expect(load({ TRAMONTANE_PROT: '1' }).warnings).toEqual([
      'TRAMONTANE_PROT is not a setting of tramontane. Did you mean TRAMONTANE_PORT?',
    ]);
  });

  it('reads lists and addresses', () => {
    const config = load({
      TRAMONTANE_TRUSTED_PROXIES: '10.0.0.1, 10.0.0.2',
      TRAMONTANE_ALLOWED_HOSTS: 'a.example',
      TRAMONTANE_PUBLIC_URL: 'https://ai.example/',
    });
    expect(config).toMatchObject({
      trustedProxies: ['10.0.0.1', '10.0.0.2'],
      allowedHosts: ['a.example'],
      publicUrl: 'https://ai.example',
    });
  });
});

describe('the file', () => {
  it('beside the data dir is read, with defaults for what it leaves out and secrets from the environment', () => {
    const { file, configFile } = loadFile(
      'models:\n  - id: small\n    engine: upstream\n    url: http://127.0.0.1:9000/v1\n    api_key: ${UPSTREAM_API_KEY}\n',
      { UPSTREAM_API_KEY: 'secret' },
    );
    expect(configFile).toBe(join(dir, 'tramontane.yaml'));
    expect(file.models[0]).toMatchObject({
      id: 'small',
      aliases: [],
      api_key: 'secret',
      max_context_length: 32_768,
      price: { prompt: 0, completion: 0 },
      capabilities: { completion_chat: true, vision: false },
    });
  });

  it('named by TRAMONTANE_CONFIG wins', () => {
    mkdirSync(join(dir, 'etc'));
    writeFileSync(join(dir, 'etc', 'other.yaml'), 'server:\n  drain_seconds: 5\n');
    expect(
      loadFile('server:\n  drain_seconds: 9\n', { TRAMONTANE_CONFIG: join(dir, 'etc', 'other.yaml') }).file.server
        .drain_seconds,
    ).toBe(5);
  });

  it('that is empty is as good as none', () => {
    expect(loadFile('').file.models).toHaveLength(7);
    expect(loadFile('# nothing yet\n').file.models).toHaveLength(7);
    expect(loadFile('models: []\n').file.models).toEqual([]);
  });

  it.each([
    ['an unknown key', 'models: []\nmodles: []\n', ":2: unknown key 'modles'. Did you mean 'models'?"],
    [
      'an unknown key far from any',
      'zebra: 1\n',
      `:1: unknown key 'zebra'. Known here: ${Object.keys(FileConfig.shape).join(', ')}.`,
    ],
    [
      'an unknown key of a model',
      'models:\n  - id: a\n    engine: upstream\n    url: http://x/v1\n    api-key: b\n',
      ":5: unknown key 'models.0.api-key'. Did you mean 'api_key'?",
    ],
    [
      'an unknown capability',
      'models:\n  - id: a\n    engine: upstream\n    url: http://x/v1\n    capabilities:\n      visoin: true\n',
      ":6: unknown key 'models.0.capabilities.visoin'. Did you mean 'vision'?",
    ],
    [
      'a wrong type',
      'models:\n  - id: a\n    engine: upstream\n    url: http://x/v1\n    max_context_length: many\n',
      ":5: 'models.0.max_context_length'",
    ],
    ['a missing key', 'models:\n  - engine: upstream\n    url: http://x/v1\n', ":2: 'models.0.id'"],
    ['an unknown engine', 'models:\n  - id: a\n    engine: magic\n    url: http://x/v1\n', ":3: 'models.0.engine'"],
    ['an address that is none', 'models:\n  - id: a\n    engine: upstream\n    url: ftp://x\n', ":4: 'models.0.url'"],
    ['broken YAML', 'models:\n  - id: "a\n', ':3: '],
    ['a tab', 'server:\n\tdrain_seconds: 1\n', ':2: '],
    ['a key that stands twice', 'models: []\nmodels: []\n', ':2: Map keys must be unique'],
    ['a missing variable', 'models:\n  - id: ${NOT_SET}\n', ':2: the environment variable NOT_SET is not set.'],
    ['a list instead of keys', '- a\n', ":1: 'the file'"],
  ])('with %s is refused with file, line and key', (_name, text, expected) => {
    const message = complaint(() => loadFile(text));
    expect(message).toContain(`${join(dir, 'tramontane.yaml')}${expected}`);
    expect(message).not.toContain('secret');
  });

  it('names every mistake at once', () => {
    expect(complaint(() => loadFile('a: 1\nb: 2\nserver:\n  drain_seconds: -1\n')).split('\n')).toHaveLength(3);
  });
});
