import { queryOptions } from '@tanstack/react-query';
import type { ModelCard } from '../../../src/models/schema.ts';
import type { Choice } from '../ui/field.tsx';
import { api } from './api.ts';

/** Models first, then their other names. */
export const chatModels = queryOptions({
  queryKey: ['models'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }) => data.filter(({ capabilities }) => capabilities.completion_chat !== false),
});

/** Other names are a group of their own that says which model they mean. */
export function modelChoices(cards: readonly ModelCard[]): Choice[] {
  return cards.map((card) => {
    const model = 'alias_of' in card ? card.alias_of : undefined;
    return model
      ? { value: card.id, label: `${card.id} (${model})`, group: 'Other names' }
      : { value: card.id, label: card.id };
  });
}
