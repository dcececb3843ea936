import { digestOf } from '../kit/base/canonical-json.ts';
import { decodeContent } from './schema/rules/decode-content.ts';
import type { SkillDefinition } from './schema/skills.ts';

/** A file of a version; its content is stored under its digest. */
export type StoredFile = {
  sha256: string;
  bytes: number;
  isExecutable: boolean;
  /** How it was sent, and is returned. */
  form: 'text' | 'raw';
};

/** A definition without the contents of its files, so lists and lookups stay small. */
export type StoredDefinition = { description: string; body: string; files: Record<string, StoredFile> };

export type PackedDefinition = { stored: StoredDefinition; contents: Map<string, Buffer> };

/** Separates the contents from a definition that the schema has validated. */
export function packDefinition({ description = '', body = '', assets = {} }: SkillDefinition): PackedDefinition {
  const contents = new Map<string, Buffer>();
  const files = Object.entries(assets).map(([path, asset]): [string, StoredFile] => {
    const content = decodeContent(asset);
    if ('rule' in content) throw new Error(`${path} was not validated: ${content.rule}`);
    const sha256 = digestOf(content.bytes);
    contents.set(sha256, content.bytes);
    const form = 'textContent' in asset ? 'text' : 'raw';
    return [path, { sha256, bytes: content.bytes.length, isExecutable: asset.isExecutable ?? false, form }];
  });
  return { stored: { description, body, files: Object.fromEntries(files) }, contents };
}

/** Two definitions with the same text and bytes are equal, whether files were sent as text or as base64. */
export function identityOf({ description, body, files }: StoredDefinition): unknown {
  const same = Object.entries(files).map(([path, { sha256, isExecutable }]) => [path, { sha256, isExecutable }]);
  return { description, body, files: Object.fromEntries(same) };
}
