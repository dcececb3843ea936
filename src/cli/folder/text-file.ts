import { readYamlMap } from '../../kit/base/front-matter.ts';
import type { FileContent } from './kind.ts';

export function textFile(text: string): FileContent {
  return { bytes: Buffer.from(text, 'utf8'), isExecutable: false };
}

/** The text of a file, or undefined if it is not UTF-8. A byte order mark stays, for it is part of the file. */
export function toText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

/** Notes and aliases of a version; nothing where there are none. */
export function versionFields({ aliases, notes = '' }: { aliases: string[]; notes?: string }): Record<string, unknown> {
  return { ...(aliases.length > 0 ? { aliases: aliases.toSorted() } : {}), ...(notes === '' ? {} : { notes }) };
}

export function readVersionFields(text: string): { aliases?: string[]; notes?: string } {
  const { aliases, notes, ...unknown } = readYamlMap(text);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw new Error(`it has the unknown field '${extra}'`);
  return {
    ...(aliases === undefined ? {} : { aliases: readList('aliases', aliases) }),
    ...(notes === undefined ? {} : { notes: readText('notes', notes) }),
  };
}

export function readText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Error(`its field '${name}' is not text`);
  return value;
}

export function readList(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw new Error(`its field '${name}' is not a list`);
  return value.map((item) => readText(name, item));
}
