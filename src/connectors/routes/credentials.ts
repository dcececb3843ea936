import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import { PublicAuthenticationMethod } from '../schema/auth-methods.ts';
import { ConnectorRef, CredentialsParams, NamedCredentialsParams } from '../schema/connectors.ts';
import {
  AuthUrlQuery,
  AuthUrlResponse,
  CallbackQuery,
  CredentialsCreateOrUpdate,
  CredentialsQuery,
  CredentialsResponse,
  MessageResponse,
} from '../schema/credentials.ts';
import type { ConnectorService } from '../service/index.ts';
import { CALLBACK_PATH } from '../service/sign-ins.ts';

const tags = ['beta.connectors'];
const permission = 'connectors:use';

export function credentialRoutes(connectors: ConnectorService): AnyRoute[] {
  const saving = {
    tags,
    permission,
    params: CredentialsParams,
    body: CredentialsCreateOrUpdate,
    response: MessageResponse,
  };
  return [
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/authentication_methods',
      operationId: 'connector_get_authentication_methods_v1',
      summary: 'How one can authenticate with the server of a connector',
      tags,
      permission,
      params: ConnectorRef,
      response: z.array(PublicAuthenticationMethod),
      handler: ({ scope, params }) => connectors.signIns.listMethods(scope, params.connector_id_or_name),
    }),
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/auth_url',
      operationId: 'connector_get_auth_url_v1',
      summary: 'The address where the browser of the user signs in; it is good for ten minutes and one sign-in',
      tags,
      permission,
      alsoAnswers: [502, 503],
      params: ConnectorRef,
      query: AuthUrlQuery,
      response: AuthUrlResponse,
      handler: ({ scope, params, query, origin }) =>
        connectors.signIns.begin(scope, params.connector_id_or_name, query, origin),
    }),
    route({
      method: 'GET',
      path: CALLBACK_PATH,
      operationId: 'connector_oauth_callback',
      summary: 'Where authorization servers send the browser back; ends with a page or at `app_return_url`',
      tags,
      permission: 'public',
      query: CallbackQuery,
      downloads: 'text/html',
      alsoAnswers: [
        [303, null],
        [400, null],
      ],
      handler: ({ query }) => connectors.signIns.finish(query),
    }),
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/:consumer_scope/credentials',
      operationId: 'connector_list_credentials_v1',
      summary: 'List the credentials of yourself, the workspace or the organization, without their secrets',
      tags,
      permission,
      params: CredentialsParams,
      query: CredentialsQuery,
      response: CredentialsResponse,
      handler: ({ scope, params, query }) =>
        connectors.credentials.list(scope, params.connector_id_or_name, params.consumer_scope, query),
    }),
    route({
      method: 'POST',
      path: '/v1/connectors/:connector_id_or_name/:consumer_scope/credentials',
      operationId: 'connector_create_credentials_v1',
      summary: 'Store credentials; secrets are encrypted and never shown again',
      ...saving,
      stores: true,
      alsoAnswers: [503],
      handler: ({ scope, params, body }) =>
        connectors.credentials.save(scope, params.connector_id_or_name, params.consumer_scope, body),
    }),
    route({
      method: 'PATCH',
      path: '/v1/connectors/:connector_id_or_name/:consumer_scope/credentials',
      operationId: 'connector_update_credentials',
      summary: 'Create or change credentials; what is left out stays',
      ...saving,
      stores: true,
      alsoAnswers: [503],
      handler: ({ scope, params, body }) =>
        connectors.credentials.save(scope, params.connector_id_or_name, params.consumer_scope, body),
    }),
    route({
      method: 'DELETE',
      path: '/v1/connectors/:connector_id_or_name/:consumer_scope/credentials',
      operationId: 'connector_delete_all_credentials_v1',
      summary: 'Delete all credentials of a scope, such as your own, and revoke their tokens',
      tags,
      permission,
      params: CredentialsParams,
      response: MessageResponse,
      handler: ({ scope, params }) =>
        connectors.credentials.removeAll(scope, params.connector_id_or_name, params.consumer_scope),
    }),
    route({
      method: 'DELETE',
      path: '/v1/connectors/:connector_id_or_name/:consumer_scope/credentials/:credentials_name',
      operationId: 'connector_delete_credentials_v1',
      summary: 'Delete credentials, and revoke their tokens',
      tags,
      permission,
      params: NamedCredentialsParams,
      response: MessageResponse,
      handler: ({ scope, params }) =>
        connectors.credentials.remove(
          scope,
          params.connector_id_or_name,
          params.consumer_scope,
          params.credentials_name,
        ),
    }),
  ];
}
