import { z } from 'zod';
import { queryBool, queryList } from '../../kit/http/index.ts';
import type { ToolAnnotations } from './tools.ts';

/** What a client asks for when it starts. */
export const BootstrapQuery = z.strictObject({
  /** Also connectors that wait for the user's sign-in. */
  include_auth_actionable_connectors: queryBool().optional(),
  /** Connectors of the platform itself, such as `web_search`; here none, its tools belong to conversations. */
  builtin_connectors: queryList(z.string().max(64)).optional(),
  supports_mcp: queryBool().optional(),
});
export type BootstrapQuery = z.infer<typeof BootstrapQuery>;

const BootstrapConnector = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    display_name: z.string(),
    description: z.string().nullable(),
    protocol: z.literal('mcp'),
    status: z.strictObject({ is_ready: z.boolean() }),
    auth_action: z.strictObject({ type: z.string() }).nullable(),
    tools: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    ),
    bootstrap_errors: z.array(z.string()),
  })
  .meta({ id: 'BootstrapConnector' });
export type BootstrapConnector = z.infer<typeof BootstrapConnector>;

export const ConnectorBootstrap = z
  .strictObject({ connectors: z.array(BootstrapConnector) })
  .meta({ id: 'ConnectorBootstrap' });
export type ConnectorBootstrap = z.infer<typeof ConnectorBootstrap>;

/** An MCP server that runs on this machine and speaks over its standard input and output. */
export type ProgramConfig = {
  /** What it gets of an environment. It may hold secrets and is never logged. */
  env: Record<string, string>;
  /** The variable for a consumer's own token; without one such tokens are refused. */
  token_variable?: string | undefined;
  /** How many run at the same time, and how many of them for one organization. */
  concurrency: number;
  per_organization?: number | undefined;
};

/** An MCP server that the operator declared. */
export type ConnectorConfig = {
  id: string;
  /** Where it is; `stdio:` and the id for a program. */
  url: string;
  /** For a program. */
  stdio?: ProgramConfig | undefined;
  description?: string | undefined;
  /** Sent with every request. They may hold secrets and are never logged. */
  headers: Record<string, string>;
  /** Where a client's own API key goes: as a bearer token in `authorization`, or alone in another header. */
  api_key_header: string;
  /** Of one tool call. */
  timeout_seconds: number;
  /** Of the text of one result. */
  result_limit_kib: number;
  /** The workspaces that may use it; all if left out. */
  workspaces?: string[] | undefined;
};

/** A client's own credentials, in place of the operator's. */
export type Authorization = { type: 'oauth2-token' | 'api-key'; value: string };

export type ConnectorTool = {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** For people: models do not see them. */
  title?: string | undefined;
  annotations?: ToolAnnotations | undefined;
};

export type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'file'; name: string; mimetype: string; bytes: Uint8Array }
  | { type: 'link'; url: string; title: string; description?: string | undefined };

export type ConnectorResult = {
  parts: ResultPart[];
  /** The structured content, if it is within the limit. */
  structured?: unknown;
  /** The tool ran and reported a failure. */
  isError: boolean;
};
