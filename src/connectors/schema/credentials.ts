import { z } from 'zod';
import { queryBool } from '../../kit/http/index.ts';
import { HeaderName, HeaderValue, OutboundAuthenticationType } from './auth-methods.ts';

export const CredentialsName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'a name of credentials has 1 to 64 letters, digits, _ and -');
export const ConsumerScope = z.enum(['user', 'workspace', 'organization']);
export type ConsumerScope = z.infer<typeof ConsumerScope>;
export const ConsumerType = z.enum(['user', 'org', 'workspace', 'system']).meta({ id: 'ConsumerType' });
export type ConsumerType = z.infer<typeof ConsumerType>;

const Token = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'this fits no header');

const OAuth2ClientCredentialsInput = z
  .strictObject({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().min(1).max(1024),
    client_secret: z.string().min(1).max(4096),
  })
  .meta({ id: 'OAuth2ClientCredentialsInput' });

/** A token that the client has from elsewhere. */
const OAuth2Token = z
  .strictObject({
    access_token: Token,
    token_type: z.literal('Bearer').optional(),
    expires_in: z.int().nullable().optional(),
    scope: z.string().max(4096).nullable().optional(),
    refresh_token: z.string().max(8192).nullable().optional(),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
  })
  .meta({ id: 'OAuth2Token' });

export const ConnectionCredentialsInput = z
  .strictObject({
    oauth: z.union([OAuth2ClientCredentialsInput, OAuth2Token]).nullable().optional(),
    headers: z
      .record(HeaderName, HeaderValue)
      .refine((all) => Object.keys(all).length <= 32, 'there are at most 32 headers')
      .meta({ maxProperties: 32 })
      .nullable()
      .optional(),
    bearer_token: Token.nullable().optional(),
  })
  .meta({ id: 'ConnectionCredentialsInput' });
export type ConnectionCredentialsInput = z.infer<typeof ConnectionCredentialsInput>;

export const CredentialsCreateOrUpdate = z
  .strictObject({
    name: CredentialsName,
    title: z.string().max(255).nullable().optional(),
    is_default: z.boolean().nullable().optional(),
    credentials: ConnectionCredentialsInput.nullable().optional(),
  })
  .meta({ id: 'CredentialsCreateOrUpdate' });
export type CredentialsCreateOrUpdate = z.infer<typeof CredentialsCreateOrUpdate>;

export const CredentialsStatusErrorReason = z
  .enum([
    'oauth expired',
    'oauth near expiry',
    'empty credentials',
    'blank bearer token',
    'unparsable credentials',
    'you need to reconnect',
    'oauth refresh error',
    'MCP server unreachable',
    'MCP server timed out',
    'MCP server error',
    'unknown error',
  ])
  .meta({ id: 'CredentialsStatusErrorReason' });
export type CredentialsStatusErrorReason = z.infer<typeof CredentialsStatusErrorReason>;

export const AuthenticationConfiguration = z
  .strictObject({
    name: z.string(),
    title: z.string().nullable().optional(),
    authentication_type: OutboundAuthenticationType,
    scope: ConsumerType,
    status: z
      .strictObject({
        status_type: z.enum(['valid', 'invalid', 'error']).meta({ id: 'AuthStatus' }),
        last_checked_at: z.iso.datetime().nullable().optional(),
        error_http_code: z.int().nullable().optional(),
        error_message: CredentialsStatusErrorReason.nullable().optional(),
      })
      .meta({ id: 'CredentialsStatus' })
      .nullable()
      .optional(),
    is_default: z.boolean().default(false),
    creator_id: z.string().nullable().optional(),
  })
  .meta({ id: 'AuthenticationConfiguration' });
export type AuthenticationConfiguration = z.infer<typeof AuthenticationConfiguration>;

export const CredentialsResponse = z
  .strictObject({
    credentials: z.array(AuthenticationConfiguration),
    connector_preset_credentials_for_auth: z.array(OutboundAuthenticationType).default([]),
  })
  .meta({ id: 'CredentialsResponse' });
export type CredentialsResponse = z.infer<typeof CredentialsResponse>;

export const CredentialsQuery = z.strictObject({
  auth_type: OutboundAuthenticationType.nullable().optional(),
  fetch_default: queryBool().default(false),
});
export type CredentialsQuery = z.infer<typeof CredentialsQuery>;

export const MessageResponse = z.strictObject({ message: z.string() }).meta({ id: 'MessageResponse' });
export type MessageResponse = z.infer<typeof MessageResponse>;

export const AuthUrlQuery = z.strictObject({
  app_return_url: z.string().max(2083).nullable().optional(),
  method_type: OutboundAuthenticationType.optional(),
  credentials_name: CredentialsName.nullable().optional(),
  credentials_title: z.string().max(255).nullable().optional(),
  github_installation_link: queryBool().default(false),
});
export type AuthUrlQuery = z.infer<typeof AuthUrlQuery>;
export const AuthUrlResponse = z.strictObject({ auth_url: z.string(), ttl: z.int() }).meta({ id: 'AuthUrlResponse' });
export type AuthUrlResponse = z.infer<typeof AuthUrlResponse>;

/** What an authorization server sends back with the browser. Servers add parameters of their own. */
export const CallbackQuery = z.object({
  state: z.string().max(512).optional(),
  code: z.string().max(4096).optional(),
  iss: z.string().max(2083).optional(),
  error: z.string().max(512).optional(),
});
export type CallbackQuery = z.infer<typeof CallbackQuery>;

/** What a sealed row holds. */
export type StoredSecret = {
  headers?: Record<string, string> | undefined;
  bearer_token?: string | undefined;
  oauth?: StoredGrant | undefined;
};

/** A token and all that a new one needs, so that a refresh asks nobody else. */
export type StoredGrant = {
  grant: 'authorization_code' | 'client_credentials' | 'token';
  client: { client_id: string; client_secret?: string | undefined };
  metadata?: Record<string, unknown> | undefined;
  resource?: string | undefined;
  scope?: string | undefined;
  /** What the server asked for beyond it: the next sign-in asks for both. */
  wanted_scope?: string | undefined;
  /** Absent until the first token of client credentials is fetched. */
  access_token?: string | undefined;
  refresh_token?: string | undefined;
};
