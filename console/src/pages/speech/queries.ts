import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ModelList } from '../../../../src/models/schema.ts';
import type { VoiceListResponse } from '../../../../src/speech/schema/voices.ts';
import { api } from '../../api/api.ts';

export const voicesOnPage = 12;

export const voicesQuery = (page: number, type: 'all' | 'preset' | 'custom') =>
  queryOptions({
    queryKey: ['speech', 'voices', page, type],
    queryFn: () =>
      api.get<VoiceListResponse>('/v1/audio/voices', {
        query: { limit: voicesOnPage, offset: (page - 1) * voicesOnPage, type },
      }),
    placeholderData: keepPreviousData,
  });

export const speakingModelsQuery = queryOptions({
  queryKey: ['speech', 'models'],
  queryFn: async () => {
    const { data = [] } = await api.get<z.infer<typeof ModelList>>('/v1/models');
    return data.filter(({ capabilities }) => capabilities.audio_speech).map(({ id }) => id);
  },
});
