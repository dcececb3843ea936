import { z } from 'zod';

export const OutboundAuthenticationType = z
  .enum(['oauth2', 'bearer', 'none', 'github_app', 'slack_app'])
  .meta({ id: 'OutboundAuthenticationType' });
export type OutboundAuthenticationType = z.infer<typeof OutboundAuthenticationType>;

const Address = z.url({ protocol: /^https?$/ }).max(2083);
const Names = z.array(z.string().max(256)).max(256);
const optionalNames = Names.nullable().optional();
const optionalAddress = Address.nullable().optional();

/** RFC 8414, with what was found about the protected resource. */
export const ExtendedOAuthServerMetadata = z
  .strictObject({
    issuer: Address,
    authorization_endpoint: optionalAddress,
    token_endpoint: Address,
    registration_endpoint: optionalAddress,
    scopes_supported: optionalNames,
    response_types_supported: Names.optional(),
    response_modes_supported: optionalNames,
    grant_types_supported: optionalNames,
    token_endpoint_auth_methods_supported: optionalNames,
    token_endpoint_auth_signing_alg_values_supported: optionalNames,
    service_documentation: optionalAddress,
    ui_locales_supported: optionalNames,
    op_policy_uri: optionalAddress,
    op_tos_uri: optionalAddress,
    revocation_endpoint: optionalAddress,
    revocation_endpoint_auth_methods_supported: optionalNames,
    revocation_endpoint_auth_signing_alg_values_supported: optionalNames,
    introspection_endpoint: optionalAddress,
    introspection_endpoint_auth_methods_supported: optionalNames,
    introspection_endpoint_auth_signing_alg_values_supported: optionalNames,
    code_challenge_methods_supported: optionalNames,
    client_id_metadata_document_supported: z.boolean().nullable().optional(),
    authorization_response_iss_parameter_supported: z.boolean().nullable().optional(),
    authorization_grant_profiles_supported: optionalNames,
    x_source: z.enum(['autodiscovery', 'provided']).meta({ id: 'OAuthMetadataSource' }).nullable().optional(),
    x_resource_url: z.string().max(2083).nullable().optional(),
    x_scope: z.string().max(4096).nullable().optional(),
  })
  .meta({ id: 'ExtendedOAuthServerMetadata' });
export type ExtendedOAuthServerMetadata = z.infer<typeof ExtendedOAuthServerMetadata>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
export const HeaderName = z.string().max(128).regex(HEADER_NAME, 'a header has no such name');
export const HeaderValue = z
  .string()
  .max(8192)
  .regex(/^[\t\x20-\x7e]*$/, 'a header has no such value');

export const GlobalHeaderValue = z
  .strictObject({ is_secret: z.boolean().default(true), value: HeaderValue })
  .meta({ id: 'GlobalHeaderValue' });
export const GlobalHeaders = z
  .record(HeaderName, GlobalHeaderValue)
  .refine((all) => Object.keys(all).length <= 32, 'there are at most 32 headers')
  .meta({ maxProperties: 32 });
export type GlobalHeaders = z.infer<typeof GlobalHeaders>;

export const AuthData = z
  .strictObject({
    client_id: z.string().min(1).max(1024),
    client_secret: z.string().max(4096).nullable().optional(),
    /** What a sign-in asks for, instead of what the server says. */
    client_scopes: z.array(z.string().max(256)).max(256).nullable().optional(),
  })
  .meta({ id: 'AuthData' });
export type AuthData = z.infer<typeof AuthData>;

const ConnectorAuthenticationHeader = z
  .strictObject({ name: HeaderName, is_required: z.boolean().default(true), is_secret: z.boolean().default(true) })
  .meta({ id: 'ConnectorAuthenticationHeader' });
const headers = z.array(ConnectorAuthenticationHeader).max(32).nullable().optional();

export const OAuth2TokenEndpointAuthMethod = z
  .enum(['client_secret_post', 'client_secret_basic'])
  .meta({ id: 'OAuth2TokenEndpointAuthMethod' });

export const BearerAuthMethod = z
  .strictObject({ method_type: z.literal('bearer'), headers })
  .meta({ id: 'BearerAuthMethod' });
export const NoneAuthMethod = z
  .strictObject({ method_type: z.literal('none'), headers })
  .meta({ id: 'NoneAuthMethod' });
export const OAuth2AuthorizationCodeAuthMethod = z
  .strictObject({
    method_type: z.literal('oauth2').default('oauth2'),
    /** The TypeScript SDK sends both spellings. */
    methodType: z.literal('oauth2').optional(),
    oauth2_server_metadata: ExtendedOAuthServerMetadata,
    headers,
    grant_type: z.literal('authorization_code'),
    auth_data: AuthData,
  })
  .meta({ id: 'OAuth2AuthorizationCodeAuthMethod' });
export const OAuth2ClientCredentialsAuthMethod = z
  .strictObject({
    method_type: z.literal('oauth2').default('oauth2'),
    /** The TypeScript SDK sends both spellings. */
    methodType: z.literal('oauth2').optional(),
    oauth2_server_metadata: ExtendedOAuthServerMetadata,
    headers,
    grant_type: z.literal('client_credentials'),
    token_endpoint_auth_method: OAuth2TokenEndpointAuthMethod,
  })
  .meta({ id: 'OAuth2ClientCredentialsAuthMethod' });

/** The form of older clients. */
const AuthenticationMethodCreateOrUpdateRequest = z
  .strictObject({
    method_type: z.union([OutboundAuthenticationType, z.enum(['webhook']).meta({ id: 'InboundAuthenticationType' })]),
    auth_direction: z.enum(['inbound', 'outbound']).meta({ id: 'AuthDirection' }).optional(),
    headers,
    global_headers: GlobalHeaders.optional(),
    oauth2_metadata_secrets: z
      .strictObject({
        client_id: z.string().max(1024).nullable().optional(),
        client_secret: z.string().max(4096).nullable().optional(),
        client_id_issued_at: z.int().nullable().optional(),
        client_secret_expires_at: z.int().nullable().optional(),
      })
      .meta({ id: 'Oauth2MetadataSecrets' })
      .nullable()
      .optional(),
    oauth2_server_metadata: ExtendedOAuthServerMetadata.nullable().optional(),
  })
  .meta({ id: 'AuthenticationMethodCreateOrUpdateRequest' });

export const NewAuthMethod = z.union([
  BearerAuthMethod,
  NoneAuthMethod,
  OAuth2AuthorizationCodeAuthMethod,
  OAuth2ClientCredentialsAuthMethod,
]);
export type NewAuthMethod = z.infer<typeof NewAuthMethod>;
export const ChangedAuthMethod = z.union([
  BearerAuthMethod,
  NoneAuthMethod,
  OAuth2AuthorizationCodeAuthMethod,
  OAuth2ClientCredentialsAuthMethod,
  AuthenticationMethodCreateOrUpdateRequest,
]);
export type ChangedAuthMethod = z.infer<typeof ChangedAuthMethod>;

export const OAuth2GrantType = z.enum(['authorization_code', 'client_credentials']).meta({ id: 'OAuth2GrantType' });

export const PublicAuthenticationMethod = z
  .strictObject({
    method_type: OutboundAuthenticationType,
    headers,
    global_headers: z.record(z.string(), GlobalHeaderValue).optional(),
    has_default_credentials: z.boolean(),
    grant_type: OAuth2GrantType.nullable().optional(),
    token_endpoint_auth_method: OAuth2TokenEndpointAuthMethod.nullable().optional(),
    oauth2_server_metadata: ExtendedOAuthServerMetadata.nullable().optional(),
  })
  .meta({ id: 'PublicAuthenticationMethod' });
export type PublicAuthenticationMethod = z.infer<typeof PublicAuthenticationMethod>;

/** A method as it is stored: the client of an OAuth server is sealed. */
export type StoredAuthMethod = {
  method_type: 'oauth2' | 'bearer' | 'none';
  headers?: z.infer<typeof ConnectorAuthenticationHeader>[] | null | undefined;
  grant_type?: 'authorization_code' | 'client_credentials' | undefined;
  oauth2_server_metadata?: ExtendedOAuthServerMetadata | null | undefined;
  token_endpoint_auth_method?: 'client_secret_post' | 'client_secret_basic' | undefined;
  client?: string | undefined;
};
