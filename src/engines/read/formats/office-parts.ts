import { posix } from 'node:path';
import { type Attributes, tokenize } from '../markup/tokenize.ts';
import type { Zip } from '../open-zip.ts';

/** The targets of the relations of a part, by their id. */
export async function readRelations(zip: Zip, part: string): Promise<Map<string, { target: string; type: string }>> {
  const { dir, base } = posix.parse(part);
  const relations = new Map<string, { target: string; type: string }>();
  eachElement((await zip.readXml(`${dir}/_rels/${base}.rels`)) ?? '', (name, attributes) => {
    if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
    const target = attributes.get('Target') ?? '';
    const path = target.startsWith('/') ? target.slice(1) : posix.join(dir, target);
    relations.set(attributes.get('Id') ?? '', { target: path, type: attributes.get('Type') ?? '' });
  });
  return relations;
}

export function eachElement(xml: string, visit: (name: string, attributes: Attributes) => void): void {
  tokenize(xml, 'xml', { open: visit, close: () => undefined, text: () => undefined });
}

/** Title and language that the author or the program has set. */
export async function readProperties(zip: Zip): Promise<{ title: string | null; language: string | null }> {
  const found = readTexts((await zip.readXml('docProps/core.xml')) ?? '');
  return { title: found.get('dc:title') ?? null, language: found.get('dc:language') ?? null };
}

/** The text of each element that holds some, by its name. */
export function readTexts(xml: string): Map<string, string> {
  const found = new Map<string, string>();
  let inside = '';
  tokenize(xml, 'xml', {
    open(name) {
      inside = name;
    },
    close() {
      inside = '';
    },
    text(text) {
      if (text.trim() !== '' && !found.has(inside)) found.set(inside, text.trim());
    },
  });
  return found;
}
