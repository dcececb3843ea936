import { join } from 'node:path';
import { readFrontMatter, readYamlMap, writeFrontMatter, writeYamlMap } from '../../kit/base/front-matter.ts';
import type { Files, Kind, LocalVersion } from './kind.ts';
import { kindOfPath, listFiles, readOneFile } from './safe-files.ts';
import { parseText, parseVersionFields, readTextFile, textFile, toText, versionFields } from './text-file.ts';

type Asset = { isExecutable?: boolean; textContent?: string; rawContent?: string };
export type SkillDefinition = { description?: string; body?: string; assets?: Record<string, Asset> };

const SKILL_FILE = 'SKILL.md';
/** Files of file managers and git, ignored in skills that come from elsewhere. */
const JUNK = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.git']);

/** The files of a skill's folder. */
export function skillFiles(name: string, { description = '', body = '', assets = {} }: SkillDefinition): Files {
  const files: Files = new Map([[SKILL_FILE, textFile(writeFrontMatter({ fields: { name, description }, body }))]]);
  for (const [path, asset] of Object.entries(assets)) {
    files.set(path, { bytes: bytesOf(asset), isExecutable: asset.isExecutable ?? false });
  }
  return files;
}

export const skillKind: Kind<SkillDefinition> = {
  noun: 'skill',
  folder: 'skills',
  readFields: async (_, { workspaceRelation }) => ({ ...(workspaceRelation && { workspaceRelation }) }),
  async writeFields(api, id, { workspaceRelation = 'writer' }) {
    await api.send('PATCH', `/v2/skills/${id}`, { workspaceRelation });
  },
  toFiles(name, version, label, objectFields) {
    const files: Files = new Map();
    for (const [path, file] of skillFiles(name, version.definition)) files.set(`${label}/${path}`, file);
    const fields = { ...objectFields, ...versionFields(version) };
    if (Object.keys(fields).length > 0) files.set(`${label}.yaml`, textFile(writeYamlMap(fields)));
    return files;
  },
  labelOf: ({ name, isFolder }) => (isFolder ? name : undefined),
  async read(folder, label) {
    const sidecar = join(folder, `${label}.yaml`);
    const fields = (await kindOfPath(sidecar)) === undefined ? {} : readYamlMap(await readTextFile(sidecar));
    const { workspaceRelation, ...version } = fields;
    const unknown = Object.keys(version).find((field) => !['aliases', 'notes'].includes(field));
    if (unknown !== undefined) throw new Error(`unknown field '${unknown}'`);
    return {
      ...(await readSkillFolder(join(folder, label), label)),
      ...parseVersionFields(version),
      fields:
        workspaceRelation === undefined ? {} : { workspaceRelation: parseText('workspaceRelation', workspaceRelation) },
    };
  },
  mayEqual: (listed, wanted) => listed.description === wanted.description && listed.body === wanted.body,
  equals: (read, wanted) => isSameFiles(skillFiles('', read), skillFiles('', wanted)),
};

/** Reads a folder with a SKILL.md. The name is that of the front matter, else of the folder. */
export async function readSkillFolder(
  folder: string,
  folderName: string,
  isForeign = false,
): Promise<LocalVersion<SkillDefinition>> {
  const source = join(folder, SKILL_FILE);
  const { fields, body } = readFrontMatter(await readTextFile(source));
  const { name = folderName, description = '', ...rest } = fields;
  const dropped = Object.keys(rest);
  const paths = (await listFiles(folder, (entry) => isForeign && JUNK.has(entry))).filter(
    (path) => path !== SKILL_FILE,
  );
  return {
    name: parseText('name', name),
    source,
    fields: {},
    warnings: dropped.length === 0 ? [] : [`${source}: the registry does not store ${dropped.join(', ')}`],
    async loadDefinition() {
      const assets = new Map<string, Asset>();
      for (const path of paths) assets.set(path, toAsset(await readOneFile(join(folder, path))));
      return { description: parseText('description', description), body, assets: Object.fromEntries(assets) };
    },
  };
}

function toAsset({ bytes, isExecutable }: { bytes: Buffer; isExecutable: boolean }): Asset {
  const text = toText(bytes);
  // A NUL byte means binary data.
  const isText = text !== undefined && !text.includes('\0');
  return { ...(isText ? { textContent: text } : { rawContent: bytes.toString('base64') }), isExecutable };
}

function bytesOf({ textContent, rawContent = '' }: Asset): Buffer {
  return textContent === undefined ? Buffer.from(rawContent, 'base64') : Buffer.from(textContent, 'utf8');
}

function isSameFiles(one: Files, other: Files): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([path, { bytes, isExecutable }]) => {
    const match = other.get(path);
    return match !== undefined && match.isExecutable === isExecutable && match.bytes.equals(bytes);
  });
}
