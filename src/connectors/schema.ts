/** A remote MCP server that the operator declared. */
export type ConnectorConfig = {
  id: string;
  url: string;
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
