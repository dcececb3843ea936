import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readFrontMatter, writeFrontMatter } from '../../kit/base/front-matter.ts';
import type { Kind } from './kind.ts';
import { readOneFile } from './safe-files.ts';
import { readList, readText, textFile, toText, versionFields } from './text-file.ts';

export type PromptDefinition = { content: string; variables?: { name?: string }[] };

const EXTENSION = '.md';

/** The names that a definition declares. */
function namesOf({ variables = [] }: PromptDefinition): string[] {
  return variables.map(({ name = '' }) => name);
}

/** A prompt's text, with what it declares in front. */
export function promptText(name: string, definition: PromptDefinition, more: Record<string, unknown> = {}): string {
  const variables = namesOf(definition);
  const fields = { name, ...(variables.length > 0 ? { variables } : {}), ...more };
  return writeFrontMatter({ fields, body: definition.content });
}

export const promptKind: Kind<PromptDefinition> = {
  noun: 'prompt',
  folder: 'prompts',
  write(prompt, label) {
    const { title = '', description = '' } = prompt;
    const isNewest = prompt.version === prompt.latestVersion;
    const shown = isNewest ? { ...(title && { title }), ...(description && { description }) } : {};
    const text = promptText(prompt.name, prompt.definition, { ...shown, ...versionFields(prompt) });
    return new Map([[`${label}${EXTENSION}`, textFile(text)]]);
  },
  labelOf: ({ name, isFolder }) =>
    !isFolder && name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : undefined,
  async read(folder, label) {
    const place = join(folder, `${label}${EXTENSION}`);
    const text = toText((await readOneFile(place)).bytes);
    if (text === undefined) throw new Error('it is not UTF-8');
    const { fields, body } = readFrontMatter(text);
    const { name = label, title = '', description = '', variables = [], aliases, notes, ...unknown } = fields;
    const [extra] = Object.keys(unknown);
    if (extra !== undefined) throw new Error(`its front matter has the unknown field '${extra}'`);
    const names = readList('variables', variables);
    return {
      name: readText('name', name),
      place,
      title: readText('title', title),
      description: readText('description', description),
      ...(aliases === undefined ? {} : { aliases: readList('aliases', aliases) }),
      ...(notes === undefined ? {} : { notes: readText('notes', notes) }),
      warnings: [],
      loadDefinition: async () => ({
        content: body,
        ...(names.length > 0 ? { variables: names.map((variable) => ({ name: variable })) } : {}),
      }),
    };
  },
  mayEqual: (listed, wanted) =>
    listed.content === wanted.content && isDeepStrictEqual(namesOf(listed), namesOf(wanted)),
  equals: (read, wanted) => read.content === wanted.content && isDeepStrictEqual(namesOf(read), namesOf(wanted)),
};
