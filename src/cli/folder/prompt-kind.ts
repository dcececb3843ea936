import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readFrontMatter, writeFrontMatter } from '../../kit/base/front-matter.ts';
import type { Kind } from './kind.ts';
import { parseList, parseText, parseVersionFields, readTextFile, textFile, versionFields } from './text-file.ts';

export type PromptDefinition = { content: string; variables?: { name?: string }[] };

const EXTENSION = '.md';
const OBJECT_FIELDS = ['title', 'description', 'model', 'workspaceRelation'];

function namesOf({ variables = [] }: PromptDefinition): string[] {
  return variables.map(({ name = '' }) => name);
}

/** A prompt's text with its metadata as front matter. */
export function promptText(name: string, definition: PromptDefinition, more: Record<string, unknown> = {}): string {
  const variables = namesOf(definition);
  const fields = { name, ...(variables.length > 0 ? { variables } : {}), ...more };
  return writeFrontMatter({ fields, body: definition.content });
}

export const promptKind: Kind<PromptDefinition> = {
  noun: 'prompt',
  folder: 'prompts',
  async readFields(api, { id, title = '', description = '', workspaceRelation }) {
    const { model } = await api.get<{ model: string | null }>(`/v2/prompts/${id}/model`);
    return {
      ...(title && { title }),
      ...(description && { description }),
      ...(model && { model }),
      ...(workspaceRelation && { workspaceRelation }),
    };
  },
  async writeFields(api, id, { title = null, description = null, model = null, workspaceRelation }, before) {
    if (workspaceRelation !== before.workspaceRelation)
      await api.send('PATCH', `/v2/prompts/${id}`, { workspaceRelation: workspaceRelation ?? 'writer' });
    if (title !== (before.title ?? null) || description !== (before.description ?? null)) {
      await api.send('PATCH', `/v2/prompts/${id}`, { title, description });
    }
    if (model !== (before.model ?? null)) await api.send('PUT', `/v2/prompts/${id}/model`, { model });
  },
  toFiles(name, version, label, fields) {
    const text = promptText(name, version.definition, { ...fields, ...versionFields(version) });
    return new Map([[`${label}${EXTENSION}`, textFile(text)]]);
  },
  labelOf: ({ name, isFolder }) =>
    !isFolder && name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : undefined,
  async read(folder, label) {
    const source = join(folder, `${label}${EXTENSION}`);
    const { fields, body } = readFrontMatter(await readTextFile(source));
    const { name = label, variables = [], aliases, notes, ...rest } = fields;
    const unknown = Object.keys(rest).find((field) => !OBJECT_FIELDS.includes(field));
    if (unknown !== undefined) throw new Error(`unknown field '${unknown}' in the front matter`);
    const names = parseList('variables', variables);
    return {
      name: parseText('name', name),
      source,
      fields: Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, parseText(field, value)])),
      ...parseVersionFields({ aliases, notes }),
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
