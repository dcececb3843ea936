import type { ColumnType, Selectable } from 'kysely';
import type { Tables } from '../../kit/db/index.ts';
import type { GlobalHeaders, StoredAuthMethod } from '../schema/auth-methods.ts';
import type { OpenAPISpecSource, PublicResourceVisibility, ToolExecutionConfiguration } from '../schema/connectors.ts';
import type { CredentialsStatusErrorReason } from '../schema/credentials.ts';

type Json<T> = ColumnType<T, string, string>;

declare module '../../kit/db/tables.ts' {
  interface Tables {
    connectors: {
      id: string;
      organization_id: string;
      workspace_id: string;
      creator_id: string;
      name: string;
      /** The creator of a private connector; empty for shared ones, whose names are the workspace's. */
      name_scope: string;
      title: string | null;
      description: string;
      protocol: 'mcp' | 'http';
      server: string;
      icon_url: string | null;
      system_prompt: string | null;
      visibility: PublicResourceVisibility;
      /** Secret values are sealed. */
      global_headers: Json<GlobalHeaders>;
      /** Null: found out from the server. */
      auth_methods: ColumnType<StoredAuthMethod[] | null, string | null, string | null>;
      openapi: ColumnType<StoredOpenApi | null, string | null, string | null>;
      created_at: string;
      modified_at: string;
      checked_at: string | null;
      last_error: string | null;
    };
    connector_credentials: {
      connector_id: string;
      organization_id: string;
      consumer_type: ConsumerKind;
      consumer_id: string;
      name: string;
      title: string | null;
      authentication_type: 'oauth2' | 'bearer' | 'none';
      is_default: boolean;
      sealed: string;
      expires_ms: number | null;
      version: number;
      lease_until_ms: number | null;
      status_type: 'valid' | 'invalid' | 'error';
      error_message: CredentialsStatusErrorReason | null;
      error_http_code: number | null;
      checked_at: string | null;
      creator_id: string;
      created_at: string;
    };
    connector_sign_ins: {
      state_hash: string;
      connector_id: string;
      organization_id: string;
      workspace_id: string;
      user_id: string;
      credentials_name: string;
      credentials_title: string | null;
      sealed: string;
      return_url: string | null;
      expires_ms: number;
    };
    connector_clients: {
      connector_id: string;
      organization_id: string;
      issuer: string;
      redirect_url: string;
      sealed: string;
      created_at: string;
    };
    connector_preferences: {
      connector_id: string;
      organization_id: string;
      consumer_type: ConsumerKind;
      consumer_id: string;
      active: boolean;
      tool_configuration: ColumnType<ToolExecutionConfiguration | null, string | null, string | null>;
    };
    connector_tools: {
      connector_id: string;
      organization_id: string;
      name: string;
      digest: string;
      definition: Json<ToolDefinition>;
      trusted_by: string | null;
      seen_at: string;
      /** What its server describes now, if that is another than the trusted one, and since when. */
      held_digest: string | null;
      held_at: string | null;
    };
    connector_uses: {
      connector_id: string;
      organization_id: string;
      workspace_id: string;
      user_id: string;
      calls: number;
      failures: number;
      last_used_at: string;
      last_failed_at: string | null;
      last_error: string | null;
    };
  }
}

export type ConsumerKind = 'user' | 'workspace' | 'org';
export type StoredOpenApi = { source: OpenAPISpecSource | null; document: Record<string, unknown> };
export type ToolDefinition = { description: string; parameters: Record<string, unknown> };

export type ConnectorRow = Selectable<Tables['connectors']>;
export type CredentialsRow = Selectable<Tables['connector_credentials']>;
export type SignInRow = Selectable<Tables['connector_sign_ins']>;
export type PreferencesRow = Selectable<Tables['connector_preferences']>;
export type UseRow = Selectable<Tables['connector_uses']>;
export type ToolRow = Selectable<Tables['connector_tools']>;

/** Whose connector and whose rows. */
export type Consumer = { organization_id: string; workspace_id: string; user_id: string };

export function consumerIdOf(consumer: Consumer, kind: ConsumerKind): string {
  if (kind === 'user') return consumer.user_id;
  return kind === 'workspace' ? consumer.workspace_id : consumer.organization_id;
}
