/** A remote MCP server that the operator declared. */
export type ConnectorConfig = {
  id: string;
  url: string;
  description?: string | undefined;
  /** Sent with every request. They may hold secrets and are never logged. */
  headers: Record<string, string>;
  /** Where a client's own API key goes: as a bearer token in `authorization`, or alone in another header. */
  api_key_header: string;
  /** The longest call of a tool. */
  timeout_seconds: number;
  /** What is kept of one result's text. */
  result_limit_kib: number;
  /** The workspaces that may use it; every one if left out. */
  workspaces?: string[] | undefined;
};

/** A client's own credentials, in place of the operator's. */
export type Authorization = { type: 'oauth2-token' | 'api-key'; value: string };

export type ConnectorTool = {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
};

/** One part of a result, as an entry shows it. Bytes are a file of their own. */
export type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'file'; name: string; mimetype: string; bytes: Uint8Array }
  | { type: 'link'; url: string; title: string; description?: string | undefined };

export type ConnectorResult = {
  parts: ResultPart[];
  /** What the tool returned for programs, where it fits into the limit. */
  structured?: unknown;
  /** The tool ran and says that it failed. */
  isError: boolean;
};
