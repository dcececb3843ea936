import type { ColumnType, Selectable } from 'kysely';
import type { Tables } from '../../kit/db/index.ts';
import type { DeliveryStatus, NotificationEventType } from '../schema/endpoints.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    notification_endpoints: {
      id: string;
      organization_id: string;
      workspace_id: string;
      covers: 'workspace' | 'organization';
      creator_id: string;
      key_id: string | null;
      url: string;
      description: string;
      /** Null: all. */
      event_types: ColumnType<NotificationEventType[] | null, string | null, string | null>;
      sealed_secret: string;
      /** The one before the last rotation, which still signs. */
      sealed_previous: string | null;
      previous_until_ms: number | null;
      status: 'enabled' | 'disabled';
      disabled_reason: string | null;
      failing_since_ms: number | null;
      created_at: string;
      updated_at: string;
    };
    notification_deliveries: {
      id: string;
      endpoint_id: string;
      organization_id: string;
      message_id: string;
      event_type: string;
      payload: string;
      status: DeliveryStatus;
      attempts: number;
      response_status: number | null;
      error: string | null;
      next_attempt_at: string | null;
      created_at: string;
      created_ms: number;
      ended_at: string | null;
    };
    notification_marks: { mark: string; created_ms: number };
  }
}

export type EndpointRow = Selectable<Tables['notification_endpoints']>;
export type DeliveryRow = Selectable<Tables['notification_deliveries']>;
