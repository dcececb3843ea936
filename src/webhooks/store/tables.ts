import type { ColumnType, Selectable } from 'kysely';
import type { Tables } from '../../kit/db/index.ts';
import type { TriggerActionType, TriggerHandler, TriggerStatusValue } from '../schema/triggers.ts';
import type { DeliveryOutcome, WebhookProvider, WebhookSettings } from '../schema/webhooks.ts';

type Json<T> = ColumnType<T, string, string>;
export type OwnerType = 'workspace' | 'user';
/** Who made the secret: the client, this server, or the provider. */
export type SecretOrigin = 'given' | 'made' | 'received';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    webhooks: {
      id: string;
      organization_id: string;
      workspace_id: string;
      creator_id: string;
      owner_type: OwnerType;
      provider: WebhookProvider;
      name: string;
      /** The unguessable part of its address. */
      token: string;
      settings: Json<WebhookSettings>;
      sealed_secret: string | null;
      secret_origin: SecretOrigin;
      sealed_key: string | null;
      url_verified: boolean;
      expires_at: string | null;
      created_at: string;
      updated_at: string;
    };
    webhook_deliveries: {
      id: string;
      webhook_id: string;
      organization_id: string;
      digest: string | null;
      /** The provider's own. */
      delivery_id: string | null;
      event_type: string | null;
      outcome: DeliveryOutcome;
      detail: string | null;
      /** JSON; only until every trigger has its outcome. */
      payload: string | null;
      received_at: string;
      received_ms: number;
    };
    triggers: {
      id: string;
      organization_id: string;
      workspace_id: string;
      webhook_id: string;
      creator_id: string;
      key_id: string | null;
      owner_type: OwnerType;
      handler: TriggerHandler;
      action_type: TriggerActionType;
      primitive_id: string;
      filters: string | null;
      title: string;
      created_at: string;
      created_ms: number;
    };
    trigger_events: {
      event_id: string;
      trigger_id: string;
      delivery_id: string;
      source_id: string;
      status: TriggerStatusValue;
      received_at: string;
      received_ms: number;
      submitted_at: string | null;
      triggered_at: string | null;
      detail: string | null;
      /** Of what was started, at this server. */
      path: string | null;
    };
  }
}

export type WebhookRow = Selectable<Tables['webhooks']>;
export type DeliveryRow = Selectable<Tables['webhook_deliveries']>;
export type TriggerRow = Selectable<Tables['triggers']>;
export type TriggerEventRow = Selectable<Tables['trigger_events']>;
/** Who looks: what belongs to a user is shown to that user alone. */
export type Viewer = { workspace_id: string; user_id: string };
