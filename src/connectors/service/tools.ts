import type { AuditLogEventType } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import type { Scope } from '../../kit/http/index.ts';
import { createBoundedFetch } from '../../kit/outbound/index.ts';
import { toolRow } from '../check-tools.ts';
import type { Connection } from '../connection.ts';
import { connectorErrors } from '../errors.ts';
import { readOpenApi } from '../read-openapi.ts';
import type { Connector, OpenAPISpecSource } from '../schema/connectors.ts';
import type { MessageResponse } from '../schema/credentials.ts';
import type {
  ConnectorCallToolRequest,
  ConnectorToolCallResponse,
  ListedTools,
  MCPTool,
  ReviewedTool,
  ReviewedTools,
  ToolsQuery,
} from '../schema/tools.ts';
import { updateConnector } from '../store/connectors.ts';
import { listHeldTools, listTrustedTools, replaceTool } from '../store/tools.ts';
import type { Target } from '../targets.ts';
import { toToolResult } from '../to-content.ts';
import type { CatalogueService } from './catalogue.ts';
import type { ConnectionService } from './connections.ts';
import { changeable, checkScope, recordEvent, type StoredPorts } from './ports.ts';

type ToolResult = ReturnType<typeof toToolResult>;
type Audited = { caller: Scope; target: Target; connection: Connection; event: AuditLogEventType };
export type HeldConnectorTool = { connector_id: string; connector: string; tool: string; held_at: string };

type CallOptions = { credentialsName?: string | null | undefined; signal: AbortSignal };

export type ToolService = {
  list(caller: Scope, idOrName: string, query: ToolsQuery): Promise<ListedTools>;
  call(
    caller: Scope,
    idOrName: string,
    tool: string,
    request: ConnectorCallToolRequest,
    options: CallOptions,
  ): Promise<ConnectorToolCallResponse>;
  /** The same for a client of the gateway, which gets the result in the form of the protocol. */
  callThroughGateway(
    caller: Scope,
    idOrName: string,
    tool: string,
    given: Record<string, unknown>,
    options: CallOptions,
  ): Promise<ToolResult>;
  /** Every tool as it was trusted and as it is now. */
  review(caller: Scope, idOrName: string): Promise<ReviewedTools>;
  /** Tools that are held back until somebody looks at them, of the connectors that the caller sees. */
  held(caller: Scope, limit: number): Promise<HeldConnectorTool[]>;
  /** Trusts a tool as it is now, if it is still the reviewed one. */
  trust(caller: Scope, idOrName: string, tool: string, digest: string): Promise<MessageResponse>;
  /** The document whose operations are the tools of an HTTP connector. */
  describe(
    caller: Scope,
    id: string,
    given: { url?: string | undefined; document?: Record<string, unknown> | undefined },
  ): Promise<Connector>;
};

export function createToolService(
  ports: StoredPorts & { connections: ConnectionService; catalogue: Pick<CatalogueService, 'get'> },
): ToolService {
  const { database, audit, targets, connections, catalogue, now } = ports;
  const { db } = database;

  async function compare(caller: Scope, idOrName: string) {
    const target = await targets.get(caller, idOrName);
    const listing = await connections.listAll(caller, target, { refresh: true });
    const trusted = await listTrustedTools(db, caller.organization_id, target.id);
    return { target, listing, trusted };
  }

  /**
   * The entry of the audit log is committed before the call is sent, so that a process that dies leaves no call without one.
   * The disk is waited for while the connector works, and the result is returned once the entry is durable.
   */
  async function callAudited(
    { caller, target, connection, event }: Audited,
    tool: string,
    given: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    await database.commit((tx) => recordEvent(audit, tx, caller, event, target, { tool }));
    const [kept, called] = await Promise.allSettled([database.durable(), connection.call(tool, given, signal)]);
    if (kept.status === 'rejected') throw kept.reason;
    if (called.status === 'rejected') throw called.reason;
    return toToolResult(called.value);
  }

  return {
    async list(caller, idOrName, { page, page_size, refresh, pretty, credentials_name }) {
      const target = await connections.find(caller, idOrName);
      const connection = await connections.use(caller, target, { credentialsName: credentials_name, refresh });
      const tools = connection.tools.slice((page - 1) * page_size, page * page_size);
      if (pretty)
        return tools.map(({ name, description, parameters }) => ({
          type: 'function' as const,
          function: { name, description, parameters },
        }));
      return tools.map(
        ({ name, description, parameters: inputSchema, title, annotations }): MCPTool => ({
          name,
          title: title ?? null,
          description,
          inputSchema,
          annotations: annotations ?? null,
        }),
      );
    },
    async call(caller, idOrName, tool, request, { credentialsName, signal }) {
      const target = await connections.find(caller, idOrName);
      const connection = await connections.use(caller, target, { credentialsName, keep: true });
      try {
        if (connection.held.includes(tool)) throw connectorErrors.connector_tool_held(target.config.id, tool);
        if (!connection.tools.some(({ name }) => name === tool))
          throw connectorErrors.connector_tool_missing(target.config.id, tool);
        const audited = { caller, target, connection, event: 'integration.tool_called' } as const;
        const result = await callAudited(audited, tool, request.arguments ?? {}, signal);
        const { content, structuredContent, isError } = result;
        const mcp_meta = { isError: isError ?? false, structuredContent: structuredContent ?? null };
        return { content, metadata: { mcp_meta } };
      } finally {
        await connection.close();
      }
    },
    async callThroughGateway(caller, idOrName, tool, given, { credentialsName, signal }) {
      const target = await connections.find(caller, idOrName);
      const connection = await connections.use(caller, target, { credentialsName, keep: true });
      try {
        const audited = { caller, target, connection, event: 'connectors_gateway.tool_called' } as const;
        return await callAudited(audited, tool, given, signal);
      } finally {
        await connection.close();
      }
    },
    async review(caller, idOrName) {
      const { listing, trusted } = await compare(caller, idOrName);
      const before = new Map(trusted.map((row) => [row.name, row]));
      const listed = listing.tools.map(({ name, description = '', inputSchema }): ReviewedTool => {
        const row = before.get(name);
        const digest = listing.digests.get(name) ?? null;
        const current = { description, parameters: inputSchema as Record<string, unknown> };
        const isTrusted = row === undefined || row.digest === digest;
        return { name, status: isTrusted ? 'trusted' : 'held', digest, trusted: row?.definition ?? current, current };
      });
      const names = new Set(listing.tools.map(({ name }) => name));
      const gone = trusted
        .filter(({ name }) => !names.has(name))
        .map(({ name, definition }): ReviewedTool => {
          return { name, status: 'gone', digest: null, trusted: definition, current: null };
        });
      return { tools: [...listed, ...gone] };
    },
    async held(caller, limit) {
      const rows = await listHeldTools(db, caller.organization_id, limit);
      const ids = [...new Set(rows.map(({ connector_id }) => connector_id))];
      const found = await Promise.all(ids.map((id) => targets.find(caller, id)));
      const names = new Map(found.flatMap((target) => (target ? [[target.id, target.config.id] as const] : [])));
      return rows.flatMap(({ connector_id, name: tool, held_at }) => {
        const connector = names.get(connector_id);
        return connector === undefined ? [] : [{ connector_id, connector, tool, held_at }];
      });
    },
    async trust(caller, idOrName, name, digest) {
      const { target, listing } = await compare(caller, idOrName);
      // For the whole organization, so not everybody may.
      if (target.row) changeable(caller, target);
      else checkScope(caller, 'workspace');
      const tool = listing.tools.find((one) => one.name === name);
      if (!tool) throw connectorErrors.connector_tool_missing(target.config.id, name);
      if (listing.digests.get(name) !== digest) throw connectorErrors.connector_tool_changed();
      const place = { connector_id: target.id, organization_id: caller.organization_id };
      await database.transaction(async (tx) => {
        await replaceTool(tx, toolRow(place, tool, digest, isoMicros(now), caller.user_id));
        await recordEvent(audit, tx, caller, 'integration.updated', target, { trusted_tool: name });
      });
      return { message: `The tool '${name}' of '${target.config.id}' is trusted as it is now.` };
    },
    async describe(caller, id, given) {
      const target = await targets.get(caller, id);
      const row = changeable(caller, target);
      if (row.protocol !== 'http')
        throw connectorErrors.connector_request_invalid(
          'Only a connector with the protocol http has an OpenAPI document.',
        );
      const document = given.document ?? (await fetchDocument(target, given.url ?? ''));
      const operations = readOpenApi(document);
      if (operations.length === 0)
        throw connectorErrors.connector_request_invalid('The document has no operation that can be called with JSON.');
      const source: OpenAPISpecSource | null = given.url
        ? { type: 'url', url: given.url }
        : { type: 'file', filename: 'openapi.json' };
      await database.transaction(async (tx) => {
        await updateConnector(tx, caller.organization_id, row.id, {
          openapi: { source, document },
          modified_at: isoMicros(now),
        });
        await recordEvent(audit, tx, caller, 'integration.updated', target, { operations: String(operations.length) });
      });
      return catalogue.get(caller, row.id);
    },
  };

  async function fetchDocument(target: Awaited<ReturnType<typeof targets.get>>, url: string) {
    try {
      const response = await createBoundedFetch(target.outbound)(url);
      return (await response.json()) as Record<string, unknown>;
    } catch (error) {
      throw connectorErrors.connector_failed('The OpenAPI document could not be read from its address as JSON.', {
        cause: error,
      });
    }
  }
}
