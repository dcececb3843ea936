import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ConsoleSearch, FoundThing } from '../../../src/console/schema/search.ts';
import { api } from '../api/api.ts';
import type { IconName } from '../ui/icon.tsx';

const TEXT_MIN = 2;
const at = (value: string) => encodeURIComponent(value);

type Place = { kind: string; icon: IconName; to: (id: string) => string };

/** Where each kind is shown. */
export const PLACES: Record<FoundThing['kind'], Place> = {
  prompt: { kind: 'Prompt', icon: 'prompt', to: (id) => `/prompts/${at(id)}` },
  skill: { kind: 'Skill', icon: 'skill', to: (id) => `/skills/${at(id)}` },
  agent: { kind: 'Agent', icon: 'agent', to: (id) => `/agents/${at(id)}` },
  conversation: { kind: 'Conversation', icon: 'chat', to: (id) => `/conversations/${at(id)}` },
  execution: { kind: 'Execution', icon: 'flow', to: (id) => `/workflows/executions/${at(id)}` },
  workflow: { kind: 'Workflow', icon: 'flow', to: (id) => `/workflows/${at(id)}` },
  file: { kind: 'File', icon: 'file', to: () => '/files' },
  library: { kind: 'Library', icon: 'book', to: (id) => `/libraries/${at(id)}` },
  model: { kind: 'Model', icon: 'model', to: (id) => `/models/${at(id)}` },
};

type Action = { label: string; to: string; search: Record<string, unknown> };

/** What can be done with a found object besides opening it: the words, and the address. */
export function actionOf({ kind, id, name }: FoundThing): Action | undefined {
  if (kind === 'agent') return { label: `Chat with ${name}`, to: '/conversations/new', search: { agent: id } };
  if (kind === 'model') return { label: `Try ${name}`, to: '/playground', search: { target: { kind: 'model', id } } };
  if (kind === 'prompt')
    return { label: `Try ${name}`, to: '/playground', search: { target: { kind: 'prompt', name: id, at: '' } } };
  return undefined;
}

/** Everything in the workspace that the user may read, by name, ID or content. */
export const searchEverything = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => api.get<ConsoleSearch>('/console/api/search', { signal, query: { text } }),
    select: ({ found }: ConsoleSearch) => found,
    enabled: text.length >= TEXT_MIN,
    placeholderData: keepPreviousData,
  });
