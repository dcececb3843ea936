import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const programsDir = join(import.meta.dirname, 'programs');

/** What a program proves by printing `feature: text`, and the text. */
export const features = {
  chat: /The tramontane, from the north\./,
  stream: /The tramontane, from the north\./,
  tools: /A-17 arrives on Thursday/,
  structured: /^Ada, Perpignan$/,
  embeddings: /^2 × 4$/,
  fim: /return a \+ b/,
  ocr: /Invoice/,
  agents: /The tramontane, from the north\./,
  transcription: /^The tramontane, from the north\.$/,
  live: /^The tramontane, from the north\.$/,
  files: /^notes\.txt$/,
  responses: /The tramontane, from the north\./,
  batches: /The tramontane, from the north\./,
  mcp: /wind_of|list_skills/,
  connectors: /The tramontane blows in Perpignan/,
  telemetry: /^\d \+ \d spans$/,
} as const satisfies Record<string, RegExp>;
export type Feature = keyof typeof features;

export type Installer = 'pip' | 'npm' | 'maven';

export type Client = {
  name: string;
  title: string;
  installer: Installer;
  /** With exact versions. */
  packages: string[];
  checks: Feature[];
  /** Whether npm may run the scripts of its packages, which download or link a program. */
  needsScripts: boolean;
  /** A request that the client tries first and expects to be refused where it is unknown, as `method route status`. */
  refused: string | undefined;
  /** What a user of the client should know. */
  note: string | undefined;
  file: string;
  /** What the page shows: the program up to the ruler. */
  snippet: string;
};

const LANGUAGES = { py: 'python', mjs: 'js', sh: 'sh', java: 'java' } as const;
const RULER = /^(?:#|\/\/) ---$/m;

export function languageOf({ file }: Pick<Client, 'file'>): string {
  return LANGUAGES[file.split('.').at(-1) as keyof typeof LANGUAGES];
}

/** Every program, with the head that says what it needs: a title, then `key: value` lines, all of them comments. */
export function readClients(dir = programsDir): Client[] {
  return readdirSync(dir)
    .sort()
    .map((file) => parseClient(file, readFileSync(join(dir, file), 'utf8')));
}

export function parseClient(file: string, source: string): Client {
  const [head = '', ...rest] = source.replace(/^#!.*\n/, '').split('\n\n');
  const lines = head.split('\n').map((line) => line.replace(/^(?:#|\/\/) ?/, ''));
  const fields = Object.fromEntries(lines.slice(1).map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
  const [installer, ...packages] = (fields.install ?? '').split(' ');
  const checks = (fields.checks ?? '').split(', ');
  const unknown = checks.filter((check) => !(check in features));
  if (!isInstaller(installer) || packages.length === 0 || unknown.length > 0 || !lines[0])
    throw new Error(
      `${file}: the head must have a title, "install: pip|npm|maven …" and "checks: …" of ${Object.keys(features)}.`,
    );
  return {
    name: file.replace(/\.\w+$/, ''),
    title: lines[0],
    installer,
    packages,
    checks: checks as Feature[],
    needsScripts: fields.scripts === 'yes',
    refused: fields.refused,
    note: fields.note,
    file,
    snippet: rest.join('\n\n').split(RULER)[0]?.trim() ?? '',
  };
}

function isInstaller(text: string | undefined): text is Installer {
  return text === 'pip' || text === 'npm' || text === 'maven';
}
