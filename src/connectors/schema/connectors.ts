import { z } from 'zod';
import { limitedObject, queryBool, queryInt } from '../../kit/http/index.ts';
import {
  AuthData,
  ChangedAuthMethod,
  ExtendedOAuthServerMetadata,
  GlobalHeaders,
  NewAuthMethod,
  PublicAuthenticationMethod,
} from './auth-methods.ts';
import { AuthenticationConfiguration, ConsumerScope, ConsumerType, CredentialsName } from './credentials.ts';

export const ConnectorName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'a name has 1 to 64 letters, digits, _ and -');
const Server = z
  .url({ protocol: /^https?$/ })
  .min(1)
  .max(2083)
  .refine(
    (url) => !/^https?:\/\/[^/]*@/.test(url),
    'credentials do not belong in an address: use headers or credentials',
  );
const Title = z.string().max(255).nullable().optional();
const Description = z.string().max(4096);
const Icon = z
  .url({ protocol: /^https$/ })
  .max(2083)
  .nullable()
  .optional();
const SystemPrompt = z.string().max(16_384).nullable().optional();

export const PublicResourceVisibility = z
  .enum(['shared_org', 'shared_workspace', 'private'])
  .meta({ id: 'PublicResourceVisibility' });
export type PublicResourceVisibility = z.infer<typeof PublicResourceVisibility>;
const ResourceVisibility = z
  .enum(['shared_global', 'shared_org', 'shared_workspace', 'private'])
  .meta({ id: 'ResourceVisibility' });

const creation = {
  name: ConnectorName,
  title: Title,
  description: Description,
  icon_url: Icon,
  server: Server,
  visibility: PublicResourceVisibility.default('private'),
  headers: limitedObject({ keys: 32, characters: 64 * 1024 })
    .nullable()
    .optional(),
  global_headers: GlobalHeaders.optional(),
  auth_data: AuthData.nullable().optional(),
  oauth2_server_metadata: ExtendedOAuthServerMetadata.nullable().optional(),
  oauth2_server_metadata_url: Server.nullable().optional(),
  auth_methods: z.array(NewAuthMethod).max(8).nullable().optional(),
  system_prompt: SystemPrompt,
};
const CreateMcpConnectorRequest = z
  .strictObject({ protocol: z.literal('mcp').default('mcp'), ...creation })
  .meta({ id: 'CreateConnectorRequest' });
const CreateHTTPConnectorRequest = z
  .strictObject({ protocol: z.literal('http'), ...creation })
  .meta({ id: 'CreateHTTPConnectorRequest' });
export const CreateConnectorRequest = z.union([CreateMcpConnectorRequest, CreateHTTPConnectorRequest]);
export type CreateConnectorRequest = z.infer<typeof CreateConnectorRequest>;

const change = {
  title: Title,
  name: ConnectorName.nullable().optional(),
  description: Description.nullable().optional(),
  icon_url: Icon,
  server: Server.nullable().optional(),
  auth_methods: z.array(ChangedAuthMethod).max(8).nullable().optional(),
  system_prompt: SystemPrompt,
};
export const UpdateConnectorRequest = z
  .strictObject({ protocol: z.enum(['mcp', 'http']).default('mcp'), ...change })
  .meta({ id: 'UpdateConnectorRequest' });
export type UpdateConnectorRequest = z.infer<typeof UpdateConnectorRequest>;

const ToolNames = z.array(z.string().max(256)).max(512);

/** Which tools are offered, and which of them a person must allow first. */
export const ToolExecutionConfiguration = z
  .strictObject({
    requires_confirmation: ToolNames.nullable().optional(),
    skip_confirmation: ToolNames.nullable().optional(),
    include: ToolNames.nullable().optional(),
    exclude: ToolNames.nullable().optional(),
  })
  .meta({ id: 'ToolExecutionConfiguration' });
export type ToolExecutionConfiguration = z.infer<typeof ToolExecutionConfiguration>;

const ConnectionPreference = z
  .strictObject({
    name: z.string(),
    tool_configuration: ToolExecutionConfiguration,
    is_default: z.boolean().nullable().optional(),
    consumer_type: ConsumerType.nullable().optional(),
  })
  .meta({ id: 'ConnectionPreference' });

const ConnectorTool = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    system_prompt: z.string().nullable().optional(),
    jsonschema: z.record(z.string(), z.unknown()).nullable().optional(),
    execution_config: z.object({ type: z.string() }).nullable(),
    visibility: ResourceVisibility,
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    active: z.boolean().nullable().optional(),
  })
  .meta({ id: 'ConnectorTool' });

const OpenAPISpecSource = z
  .union([
    z.strictObject({ type: z.literal('url'), url: z.string() }).meta({ id: 'OpenAPIURLSource' }),
    z.strictObject({ type: z.literal('file'), filename: z.string() }).meta({ id: 'OpenAPIFileSource' }),
  ])
  .meta({ id: 'OpenAPISpecSource' });
export type OpenAPISpecSource = z.infer<typeof OpenAPISpecSource>;

export const Connector = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    title: z.string().nullable().optional(),
    description: z.string(),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    server: z.string().nullable().optional(),
    protocol: z.enum(['mcp', 'http']).meta({ id: 'ConnectorProtocol' }),
    icon_url: z.string().nullable().optional(),
    owner_id: z.string().nullable().optional(),
    owner_type: ConsumerType,
    visibility: ResourceVisibility,
    creator_id: z.string().nullable().optional(),
    system_prompt: z.string().nullable().optional(),
    supported_auth_methods: z.array(PublicAuthenticationMethod).nullable().optional(),
    connection_preferences: z.array(ConnectionPreference).nullable().optional(),
    connection_credentials: z.array(AuthenticationConfiguration).nullable().optional(),
    active: z.boolean().nullable().optional(),
    blocked_by: z.array(ConsumerType).optional(),
    private_tool_execution: z.boolean(),
    mistral: z.boolean().default(false),
    is_authenticated: z.boolean().nullable().optional(),
    tools: z.array(ConnectorTool).nullable().optional(),
    supports_mcp: z.boolean(),
    openapi_spec: z
      .strictObject({ source: OpenAPISpecSource.nullable() })
      .meta({ id: 'ConnectorOpenAPISpec' })
      .nullable()
      .optional(),
  })
  .meta({ id: 'Connector' });
export type Connector = z.infer<typeof Connector>;

export const PaginatedConnectors = z
  .strictObject({
    items: z.array(Connector),
    pagination: z
      .strictObject({ next_cursor: z.string().nullable().optional(), page_size: z.int() })
      .meta({ id: 'PaginationResponse' }),
  })
  .meta({ id: 'PaginatedConnectors' });
export type PaginatedConnectors = z.infer<typeof PaginatedConnectors>;

/** The SDKs spread the filter over the query: `active=true`. */
export const ConnectorsQuery = z.strictObject({
  active: queryBool().nullable().optional(),
  query_filters: z.string().max(256).optional().meta({ description: 'The same filter as JSON: {"active": true}' }),
  cursor: z.string().max(512).nullable().optional(),
  page_size: queryInt().min(1).max(1000).default(100),
});
export type ConnectorsQuery = z.infer<typeof ConnectorsQuery>;

export const ConnectorQuery = z.strictObject({
  fetch_user_data: queryBool().default(false),
  fetch_customer_data: queryBool().default(false),
});
export type ConnectorQuery = z.infer<typeof ConnectorQuery>;

export const ConnectorParams = z.strictObject({ connector_id: z.string().max(256) });
export const ConnectorRef = z.strictObject({ connector_id_or_name: z.string().max(256) });
export const ConsumerParams = z.strictObject({ connector_id: z.string().max(256), consumer_scope: ConsumerScope });
export const CredentialsParams = z.strictObject({
  connector_id_or_name: z.string().max(256),
  consumer_scope: ConsumerScope,
});
export const NamedCredentialsParams = z.strictObject({
  connector_id_or_name: z.string().max(256),
  consumer_scope: ConsumerScope,
  credentials_name: CredentialsName,
});
export const ToolParams = z.strictObject({
  connector_id_or_name: z.string().max(256),
  tool_name: z.string().max(256),
});
