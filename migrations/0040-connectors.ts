import type { Migration } from '../src/kit/db/index.ts';

/**
 * Connectors that users made, and what belongs to any connector: a connector of the configuration has rows in all tables
 * but the first, under its own id and the organization that uses it.
 */
export const connectors: Migration = {
  name: '0040-connectors',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint, boolean }) => [
    `create table connectors (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      creator_id ${text} not null,
      name ${text} not null,
      name_scope ${text} not null,
      title ${text},
      description ${text} not null,
      protocol ${text} not null,
      server ${text} not null,
      icon_url ${text},
      system_prompt ${text},
      visibility ${text} not null,
      global_headers ${json} not null,
      auth_methods ${json},
      openapi ${json},
      created_at ${text} not null,
      modified_at ${text} not null,
      checked_at ${text},
      last_error ${text}
    )`,
    'create unique index connectors_by_name on connectors (workspace_id, name_scope, name)',
    'create index connectors_by_organization on connectors (organization_id, name)',
    'create index connectors_by_workspace on connectors (workspace_id, created_at, id)',
    `create table connector_credentials (
      connector_id ${text} not null,
      organization_id ${text} not null,
      consumer_type ${text} not null,
      consumer_id ${text} not null,
      name ${text} not null,
      title ${text},
      authentication_type ${text} not null,
      is_default ${boolean} not null,
      sealed ${text} not null,
      expires_ms ${bigint},
      version ${bigint} not null,
      lease_until_ms ${bigint},
      status_type ${text} not null,
      error_message ${text},
      error_http_code ${bigint},
      checked_at ${text},
      creator_id ${text} not null,
      created_at ${text} not null,
      primary key (connector_id, organization_id, consumer_type, consumer_id, name)
    )`,
    `create table connector_sign_ins (
      state_hash ${text} primary key,
      connector_id ${text} not null,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      user_id ${text} not null,
      credentials_name ${text} not null,
      credentials_title ${text},
      sealed ${text} not null,
      return_url ${text},
      expires_ms ${bigint} not null
    )`,
    'create index connector_sign_ins_by_expiry on connector_sign_ins (expires_ms)',
    `create table connector_clients (
      connector_id ${text} not null,
      organization_id ${text} not null,
      issuer ${text} not null,
      redirect_url ${text} not null,
      sealed ${text} not null,
      created_at ${text} not null,
      primary key (connector_id, organization_id, issuer, redirect_url)
    )`,
    `create table connector_preferences (
      connector_id ${text} not null,
      organization_id ${text} not null,
      consumer_type ${text} not null,
      consumer_id ${text} not null,
      active ${boolean} not null,
      tool_configuration ${json},
      primary key (connector_id, organization_id, consumer_type, consumer_id)
    )`,
    `create table connector_tools (
      connector_id ${text} not null,
      organization_id ${text} not null,
      name ${text} not null,
      digest ${text} not null,
      definition ${json} not null,
      trusted_by ${text},
      seen_at ${text} not null,
      primary key (connector_id, organization_id, name)
    )`,
  ],
};
