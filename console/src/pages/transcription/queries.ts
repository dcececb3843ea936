import { queryOptions } from '@tanstack/react-query';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';

/** Models that transcribe, without other names for them. */
export const hearingModels = queryOptions({
  queryKey: ['models'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }) =>
    data
      .filter((card) => card.capabilities.audio_transcription && !('alias_of' in card))
      .map(({ id, capabilities }) => ({ id, isLive: capabilities.audio_transcription_realtime === true })),
});
