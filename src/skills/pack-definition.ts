import { createHash } from 'node:crypto';
import { readContent } from './rules/read-content.ts';
import type { SkillAssetContent, SkillDefinition } from './schema.ts';

/** A file as a version knows it; its content is kept apart, under its digest. */
export type StoredFile = {
  sha256: string;
  bytes: number;
  isExecutable: boolean;
  /** How it was sent, and is sent back. */
  form: 'text' | 'raw';
};

/** A definition without the contents of its files, so that lists and look-ups stay light. */
export type StoredDefinition = { description: string; body: string; files: Record<string, StoredFile> };

export type PackedDefinition = { stored: StoredDefinition; contents: Map<string, Buffer> };

/** Takes the contents out of a definition that has passed the rules. */
export function packDefinition({ description = '', body = '', assets = {} }: SkillDefinition): PackedDefinition {
  const contents = new Map<string, Buffer>();
  const files = Object.entries(assets).map(([path, asset]): [string, StoredFile] => {
    const content = readContent(asset);
    if ('rule' in content) throw new Error(`${path} was not checked: ${content.rule}`);
    const sha256 = digestOf(content.bytes);
    contents.set(sha256, content.bytes);
    const form = 'textContent' in asset ? 'text' : 'raw';
    return [path, { sha256, bytes: content.bytes.length, isExecutable: asset.isExecutable ?? false, form }];
  });
  return { stored: { description, body, files: Object.fromEntries(files) }, contents };
}

/** The same skill has the same text and the same bytes in its files, however they were sent. */
export function identityOf({ description, body, files }: StoredDefinition): unknown {
  const same = Object.entries(files).map(([path, { sha256, isExecutable }]) => [path, { sha256, isExecutable }]);
  return { description, body, files: Object.fromEntries(same) };
}

export function toAsset({ form, isExecutable }: StoredFile, content: Buffer): SkillAssetContent {
  return form === 'text'
    ? { textContent: content.toString('utf8'), isExecutable }
    : { rawContent: content.toString('base64'), isExecutable };
}

export function digestOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
