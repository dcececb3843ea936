import type { FileContent } from './kind.ts';
import { readOneFile } from './safe-files.ts';

export function textFile(text: string): FileContent {
  return { bytes: Buffer.from(text, 'utf8'), isExecutable: false };
}

/** The text of a file, or undefined if it is not UTF-8. Keeps a byte order mark. */
export function toText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

export async function readTextFile(path: string): Promise<string> {
  const text = toText((await readOneFile(path)).bytes);
  if (text === undefined) throw new Error('not valid UTF-8');
  return text;
}

/** The notes and aliases of a version, if set. */
export function versionFields({ aliases, notes = '' }: { aliases: string[]; notes?: string }): Record<string, unknown> {
  return { ...(aliases.length > 0 ? { aliases: aliases.toSorted() } : {}), ...(notes === '' ? {} : { notes }) };
}

export function parseVersionFields({ aliases, notes }: Record<string, unknown>) {
  return {
    aliases: aliases === undefined ? undefined : parseList('aliases', aliases),
    notes: notes === undefined ? undefined : parseText('notes', notes),
  };
}

export function parseText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Error(`the field '${name}' must be a string`);
  return value;
}

export function parseList(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw new Error(`the field '${name}' must be a list`);
  return value.map((item) => parseText(name, item));
}
