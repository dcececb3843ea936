import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ModelList } from '../../../../src/models/schema.ts';
import type { VoiceListResponse, VoiceResponse } from '../../../../src/speech/schema/voices.ts';
import { api } from '../../api/api.ts';

const voicesAtOnce = 100;

/** Loads all voices, a few hundred, to search them by name and language. */
export const voicesQuery = queryOptions({
  queryKey: ['speech', 'voices'],
  queryFn: async () => {
    const voices: VoiceResponse[] = [];
    for (;;) {
      const query = { limit: voicesAtOnce, offset: voices.length };
      const { items, total } = await api.get<VoiceListResponse>('/v1/audio/voices', { query });
      voices.push(...items);
      if (items.length === 0 || voices.length >= total) return voices;
    }
  },
  staleTime: 60_000,
});

export const speakingModelsQuery = queryOptions({
  queryKey: ['speech', 'models'],
  queryFn: async () => {
    const { data = [] } = await api.get<z.infer<typeof ModelList>>('/v1/models');
    return data.filter((card) => card.capabilities.audio_speech && !('alias_of' in card)).map(({ id }) => id);
  },
});
