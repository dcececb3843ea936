import { queryOptions } from '@tanstack/react-query';
import type { ClassifierTraining, ClassifierTrainings } from '../../../../src/classifiers/schema/trainings.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';

export type Training = ClassifierTraining;

const FOLLOW_MS = 1000;

export const trainingsKey = ['classifier-trainings'] as const;
export const classifiersKey = ['models', 'classifiers'] as const;
const trainingsPath = '/v1/classifiers/trainings';
export const trainingPath = (id: string) => `${trainingsPath}/${encodeURIComponent(id)}`;

export const classifiersQuery = queryOptions({
  queryKey: classifiersKey,
  queryFn: ({ signal }) => api.get<{ data?: ModelCard[] }>('/v1/models', { signal }),
  select: ({ data = [] }) =>
    data.filter((card) => card.capabilities.classification === true && !('alias_of' in card && card.alias_of)),
});

export const trainingsQuery = queryOptions({
  queryKey: trainingsKey,
  queryFn: ({ signal }) => api.get<ClassifierTrainings>(trainingsPath, { signal }),
  select: ({ data }: ClassifierTrainings) => data,
  refetchInterval: ({ state }) => (state.data?.data.some(({ ended_at }) => ended_at === null) ? FOLLOW_MS : false),
});

/** Uploads the examples for a day, which is long enough to learn from them. */
export async function train(name: string, examples: File): Promise<Training> {
  const form = new FormData();
  form.append('purpose', 'fine-tune');
  form.append('expiry', '24');
  form.append('file', examples, examples.name);
  const response = await api.raw('POST', '/v1/files', form);
  const { id } = (await response.json()) as { id: string };
  return api.post<Training>(trainingsPath, { name, file_id: id });
}

/** The mean over targets; most classifiers have one. */
export function accuracyOf({ figures }: Training): number | undefined {
  const targets = Object.values(figures?.targets ?? {});
  if (targets.length === 0) return undefined;
  return targets.reduce((sum, { accuracy }) => sum + accuracy, 0) / targets.length;
}

export const formatShare = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`);
