import { existsSync, globSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorStyles, errorTables } from '../../src/app.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { findCommand } from '../../src/cli/shell/find-command.ts';
import { loadConfig } from '../../src/config/config.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { createMetrics } from '../../src/kit/http/index.ts';
import { temporaryDir } from '../support/databases.ts';
import { withErrorCodes } from './error-codes.ts';
import { fileKeys } from './file-keys.ts';
import { anchorsOf, codeBlocks, codeOf, readPages, readText, relativeLinks, root, tableRows } from './read-markdown.ts';

const pages = readPages();
const configuration = readText('docs/configuration.md');
const rows = tableRows(configuration).map(([name, fallback, example, meaning]) => ({
  name: codeOf(name) ?? `not code: ${name}`,
  fallback: fallback ?? '',
  example: codeOf(example),
  meaning: meaning ?? '',
}));
const VARIABLE = /\b(?:TRAMONTANE|OTEL)(?:_[A-Z]+)+(?![A-Z_])/g;
const variableRows = rows.filter(({ name }) => /^[A-Z_]+$/.test(name));
const keyRows = rows.filter(({ name }) => !/^[A-Z_]+$/.test(name));

beforeAll(() => {
  // A directory in which no configuration file can be found.
  process.chdir(temporaryDir());
});

describe('docs/configuration.md and the environment', () => {
  const known = [...new Set(readText('src/config/config.ts').match(VARIABLE))];

  it('names every variable that the program knows, once, and no other', () => {
    expect(known.length).toBeGreaterThan(15);
    expect(variableRows.map(({ name }) => name).sort()).toEqual(known.toSorted());
    expect(new Set(configuration.match(VARIABLE))).toEqual(new Set(known));
  });

  it('names only variables that the program takes without a warning', () => {
    const environment = Object.fromEntries(variableRows.map(({ name }) => [name, '']));
    expect(loadConfig(environment).warnings).toEqual([]);
    expect(loadConfig({ TRAMONTANE_HOTS: 'x' }).warnings).toHaveLength(1);
  });

  it('gives the real defaults', () => {
    const given = variableRows.flatMap(({ name, fallback }) => (codeOf(fallback) ? [[name, codeOf(fallback)]] : []));
    expect(given.length).toBeGreaterThan(4);
    for (const [name = '', value] of given) expect(loadConfig({ [name]: value }), name).toEqual(loadConfig({}));
    expect(loadConfig({ TRAMONTANE_PORT: '4748' })).not.toEqual(loadConfig({}));
  });

  it('gives an example and a meaning for each, and the program takes the example', () => {
    for (const { name, example, meaning } of variableRows) {
      expect([example, meaning], name).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
      // This one names a file that does not exist here.
      const store = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
      const beside = name === 'TRAMONTANE_BLOBS' ? store : {};
      if (name !== 'TRAMONTANE_CONFIG') expect(loadConfig({ ...beside, [name]: example }).warnings, name).toEqual([]);
    }
  });

  it('has examples for a shell that are taken as a whole', () => {
    const blocks = codeBlocks(configuration, 'sh');
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      const lines = block.trim().split('\n');
      const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2)));
      expect(loadConfig(environment).warnings).toEqual([]);
    }
  });
});

const PROVIDER = { id: 'corp', name: 'Corp', issuer: 'https://login.example.com', client_id: 'tramontane' };

describe('docs/configuration.md and the file', () => {
  const keys = fileKeys(FileConfig);

  it('names every key that the file takes, once, and no other', () => {
    expect(keys.size).toBeGreaterThan(20);
    expect(keyRows.map(({ name }) => name).sort()).toEqual([...keys.keys()].sort());
  });

  it('gives the real defaults', () => {
    for (const { name, fallback } of keyRows) {
      const real = keys.get(name);
      if (real?.kind === 'value') expect(parse(codeOf(fallback) ?? 'not code'), name).toEqual(real.value);
      else expect(fallback, name).toBe(real?.kind);
    }
  });

  it('gives examples that the program takes', () => {
    const engines = [
      { id: 'small', engine: 'upstream', url: 'http://127.0.0.1:9000/v1' },
      { id: 'small', engine: 'llama', weights: 'smollm2-135m-instruct' },
      { id: 'small', engine: 'onnx', weights: 'all-minilm-l6-v2' },
      { id: 'small', engine: 'tesseract' },
      { id: 'small', engine: 'whisper' },
    ];
    const tools = [
      { tools: { web_search: { provider: 'searxng' } } },
      { tools: { image_generation: { url: 'http://127.0.0.1:7860/v1' } } },
    ];
    const withExample = keyRows.filter(({ example }) => example);
    expect(withExample.length).toBeGreaterThan(20);
    for (const { name, example = '' } of withExample) {
      const given = nest(
        name
          .replace(/^(models|connectors|libraries\.source_folders|sign_in\.providers(\[\]\.groups)?)\[\]\./, '')
          .split('.'),
        parse(example),
      );
      const files = name.startsWith('models[].')
        ? engines.map((model) => ({ models: [{ ...model, ...given }] }))
        : name.startsWith('connectors[].stdio.')
          ? [{ connectors: [beside({ id: 'clock', stdio: { command: 'mcp-server-time' } }, given)] }]
          : name.startsWith('connectors[].')
            ? [{ connectors: [{ id: 'wiki', url: 'https://wiki.example.com/mcp', ...given }] }]
            : name.startsWith('sign_in.providers[].')
              ? [
                  {
                    sign_in: {
                      providers: [
                        {
                          ...PROVIDER,
                          ...(name.includes('groups[].') ? { groups: [{ claim: 'a', group: 'b', ...given }] } : given),
                        },
                      ],
                    },
                  },
                ]
              : name.startsWith('libraries.source_folders[].')
                ? [{ libraries: { source_folders: [{ path: '/srv/handbooks', ...given }] } }]
                : [given, ...tools.map((tool) => beside(tool, given))];
      expect(
        files.some((file) => FileConfig.safeParse(file).success),
        name,
      ).toBe(true);
    }
  });

  it('has examples that the program reads', () => {
    const blocks = codeBlocks(configuration, 'yaml');
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of [...blocks, readText('deploy/tramontane.yaml')]) expect(readExample(block)).toBeDefined();
  });

  it('would notice an example that the program refuses', () => {
    expect(() => readExample('modles: []\n')).toThrow("unknown key 'modles'");
  });
});

describe('the pages', () => {
  it('have links that lead somewhere', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(({ path, text }) => brokenLinks(path, text))).toEqual([]);
    expect(brokenLinks('docs/x.md', 'See [a](gone.md), [b](errors.md#nowhere), [c](errors.md).')).toHaveLength(2);
  });

  it('name only commands that exist', () => {
    const commands = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:npx tramontane|bin\/tramontane\.js) ([a-z]+(?: [a-z-]+)?)/g)].map(([, words = '']) => ({
        path,
        words,
      })),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const { path, words } of commands) expect(() => findCommand(COMMANDS, words.split(' ')), path).not.toThrow();
  });

  it('of the rooms say what matters in 25 lines, and every room and every part of kit has one', () => {
    const readmes = pages.filter(({ path }) => /^src\/.*README\.md$/.test(path));
    const long = readmes.filter(({ text }) => text.trimEnd().split('\n').length > 25);
    expect(long.map(({ path }) => path)).toEqual([]);
    const withDoor = ['src', 'src/kit'].flatMap((dir) =>
      readdirSync(join(root, dir))
        .map((name) => `${dir}/${name}`)
        .filter((path) => existsSync(join(root, path, 'index.ts'))),
    );
    expect(withDoor.length).toBeGreaterThan(8);
    expect(withDoor.filter((path) => !existsSync(join(root, path, 'README.md')))).toEqual([]);
  });

  it('of the decisions have their four parts in 40 lines and stand in the list', () => {
    const decisions = pages.filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path));
    const list = relativeLinks(readText('docs/decisions/README.md'));
    expect(list.map((name) => `docs/decisions/${name}`)).toEqual(decisions.map(({ path }) => path));
    for (const { path, text } of decisions) {
      const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
      expect(parts, path).toEqual(['Context', 'Options', 'Choice', 'Consequences']);
      expect(text.trimEnd().split('\n').length, path).toBeLessThanOrEqual(40);
    }
  });

  it('on operations name only metrics that exist', () => {
    const existing = createMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name);
    const named = tableRows(readText('docs/operations.md'))
      .map(([cell]) => codeOf(cell) ?? '')
      .filter((name) => /^(http|process|nodejs)_/.test(name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !existing.includes(name))).toEqual([]);
  });

  it('on errors list the codes of every room, each once', () => {
    const page = readText('docs/errors.md');
    expect(withErrorCodes(page), 'run: npm run docs').toBe(page);
    const codes = Object.values(errorTables).flatMap((table) => Object.keys(table));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    const tables = globSync('src/**/*.ts', { cwd: root, exclude: (path) => path.includes('-for-tests') }).filter(
      (path) => /= defineErrors\(/.test(readText(path)),
    );
    expect(Object.keys(errorTables)).toHaveLength(tables.length);
  });

  it('on errors name every family that words its errors differently', () => {
    const families = tableRows(readText('docs/errors.md')).map(
      ([cell = '']) => /^`(\/[^`]+)` and below$/.exec(cell)?.[1],
    );
    expect(families.filter(Boolean).sort()).toEqual(errorStyles.map(([prefix]) => prefix).sort());
  });
});

describe('the files for containers', () => {
  const compose = z
    .object({ services: z.object({ server: z.object({ environment: z.record(z.string(), z.string()) }) }) })
    .parse(parse(readText('deploy/compose.yaml')));

  it('set only variables that the program knows', () => {
    const names = [
      ...Object.keys(compose.services.server.environment),
      ...(readText('Dockerfile').match(VARIABLE) ?? []),
    ];
    expect(names).toContain('TRAMONTANE_HOST');
    expect(loadConfig(Object.fromEntries(names.map((name) => [name, '']))).warnings).toEqual([]);
  });
});

function nest(path: string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nest(rest, value) };
}

function readExample(block: string): unknown {
  const file = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(file, block);
  const named = [...block.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'a value']);
  return readConfigFile(file, Object.fromEntries(named));
}

function brokenLinks(path: string, text: string): string[] {
  return relativeLinks(text)
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, to))) return true;
      return anchor !== undefined && (statSync(join(root, to)).isDirectory() || !anchorsOf(readText(to)).has(anchor));
    })
    .map((target) => `${path}: ${target}`);
}

/** Deeply merges two objects. */
function beside(first: Record<string, unknown>, second: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const known = merged[key];
    const isNested = isObject(known) && isObject(value);
    merged[key] = isNested ? beside(known, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
