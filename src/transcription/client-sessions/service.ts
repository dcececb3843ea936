import type { Clock } from '../../kit/base/clock.ts';
import type { Scope } from '../../kit/http/index.ts';
import { adviseConfiguration, modelErrors } from '../../models/index.ts';
import type { ClientTokens } from '../../tenants/index.ts';
import type { TranscribingModels } from '../choose-transcriber.ts';
import type { CreateRealtimeSessionRequest, CreateRealtimeSessionResponse } from './schema.ts';

const TTL_SECONDS = 60;

export type ClientSessionService = {
  create(scope: Scope, request: CreateRealtimeSessionRequest): Promise<CreateRealtimeSessionResponse>;
};

/** Tokens that a page may hold: for one model, for live sessions only, and not for long. */
export function createClientSessionService({
  models,
  tokens,
  now,
}: {
  models: Pick<TranscribingModels, 'find'>;
  tokens: Pick<ClientTokens, 'issue'>;
  now: Clock;
}): ClientSessionService {
  return {
    async create(scope, { model, ttl_seconds }) {
      if (!models.find(model, scope.workspace_id))
        throw modelErrors.unknown_model(model, adviseConfiguration('transcription', model));
      const expiresAt = Math.floor(now() / 1000) + (ttl_seconds ?? TTL_SECONDS);
      const expires_at = new Date(expiresAt * 1000).toISOString();
      const value = await tokens.issue(scope, model, expiresAt);
      return { object: 'client.session', purpose: 'realtime', expires_at, client_secret: { value, expires_at } };
    },
  };
}
