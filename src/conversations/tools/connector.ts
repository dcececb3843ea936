import { type AgentTool, isToolSchema } from '../../chat/index.ts';
import {
  type Connection,
  type ConnectorResult,
  type ConnectorService,
  type ConnectorTool,
  connectorErrors,
} from '../../connectors/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import { conversationErrors } from '../errors.ts';
import type { ServerTool, Trouble } from '../run/toolbox.ts';
import type { OutputContentChunk } from '../schema/entries.ts';
import type { SaveFile } from './image-generation.ts';
import { markData } from './mark-data.ts';

const NAMES_LISTED = 20;

export type ConnectorRequest = Extract<AgentTool, { type: 'connector' }>;

/** `prefix` goes in front of a name that another tool has too. */
export type OpenedConnector = {
  tools: (ServerTool & { prefix: string })[];
  troubles: Trouble[];
  /** Of the connector's creator, for the model. */
  instructions: string[];
  close(): Promise<void>;
};

type Ports = { connectors: Pick<ConnectorService, 'connect'>; saveFile: SaveFile };

/** A connector that cannot be used now does not fail the run: an entry and the model's instructions say so. */
export async function openConnector(
  { connectors, saveFile }: Ports,
  { connector_id: id, authorization, tool_configuration }: ConnectorRequest,
  caller: Scope,
): Promise<OpenedConnector> {
  const { include, exclude, requires_confirmation } = tool_configuration ?? {};
  if (include?.length && exclude?.length) throw conversationErrors.tool_configuration_invalid();
  let connection: Connection;
  try {
    connection = await connectors.connect(caller, id, { authorization });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status < 500 && !isSignIn(error))) throw error;
    const troubles = [{ name: id, message: error.message }];
    return { tools: [], troubles, instructions: [], close: async () => undefined };
  }
  const offered = connection.tools.filter(
    ({ name }) => !exclude?.includes(name) && (!include?.length || include.includes(name)),
  );
  return {
    tools: offered.map((tool) => ({
      ...serverTool(connection, tool, saveFile),
      connector: id,
      needsConfirmation: connection.asks.has(tool.name) || (requires_confirmation?.includes(tool.name) ?? false),
    })),
    troubles: [
      ...findLeftOut(connection),
      ...findHeld(connection),
      ...findUnknown(connection, [...(include ?? []), ...(requires_confirmation ?? [])]),
    ],
    instructions: connection.instructions ? [connection.instructions] : [],
    close: () => connection.close(),
  };
}

function isSignIn(error: ApiError): boolean {
  return error.code === connectorErrors.connector_sign_in_required.code;
}

function findHeld({ id, held }: Connection): Trouble[] {
  if (held.length === 0) return [];
  const message = `Tools of the connector '${id}' are held back, because its server changed them and nobody has looked at the change: ${held.slice(0, NAMES_LISTED).join(', ')}. Look at GET /v1/connectors/${id}/tools/review.`;
  return [{ name: id, message }];
}

function findLeftOut({ id, leftOut }: Connection): Trouble[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, NAMES_LISTED).join(', ');
  const more = leftOut.length > NAMES_LISTED ? ` and ${leftOut.length - NAMES_LISTED} more` : '';
  const message = `Tools of the connector '${id}' were left out, because their schema takes too much work to check: ${names}${more}.`;
  return [{ name: id, message }];
}

/** A name that no tool has is most likely a typing error, and dangerous in requires_confirmation. */
function findUnknown({ id, tools, held }: Connection, named: readonly string[]): Trouble[] {
  const names = [...tools.map(({ name }) => name), ...held];
  const more = names.length > NAMES_LISTED ? ` and ${names.length - NAMES_LISTED} more` : '';
  const has = `It has: ${names.slice(0, NAMES_LISTED).join(', ') || 'none'}${more}.`;
  return [...new Set(named)]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      name: id,
      message: `The connector '${id}' has no tool '${name}', which tool_configuration names. ${has}`,
    }));
}

function serverTool(connection: Connection, tool: ConnectorTool, saveFile: SaveFile): ServerTool & { prefix: string } {
  const { id } = connection;
  const name = functionName(tool.name);
  return {
    name,
    prefix: id,
    description: tool.description,
    // A schema that we cannot enforce is left out: the connector checks the arguments itself.
    parameters: isToolSchema(tool.parameters) ? tool.parameters : { type: 'object' },
    needsConfirmation: false,
    async run({ arguments: given, caller, signal }) {
      const mark = (text: string) => markData(text, `connector ${id}, tool ${name}`);
      const result = await connection.call(tool.name, given, signal).catch((error: unknown) => {
        // Its message may have words of the server, too.
        if (signal.aborted || !(error instanceof ApiError)) throw error;
        return error;
      });
      if (result instanceof ApiError)
        return { text: mark(`Error: ${result.message}`), info: { error: result.message }, chunks: [] };
      const { content, lines, chunks } = await saveParts(result, name, (file) => saveFile(caller, file));
      const { structured, isError } = result;
      const text = lines.join('\n') || '[no output]';
      return {
        text: mark(isError ? `Error: ${text}` : text),
        info: {
          connector_id: id,
          tool: tool.name,
          content,
          ...(structured === undefined ? {} : { structured_content: structured }),
          ...(isError ? { error: text } : {}),
        },
        chunks,
      };
    },
  };
}

async function saveParts({ parts }: ConnectorResult, tool: string, save: (file: File) => Promise<string>) {
  const content: Record<string, unknown>[] = [];
  const lines: string[] = [];
  const chunks: OutputContentChunk[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        content.push(part);
        lines.push(part.text);
        break;
      case 'link':
        content.push(part);
        lines.push(`[${part.title}: ${part.url}]`);
        chunks.push({ ...part, type: 'tool_reference', tool });
        break;
      case 'file': {
        const { name, mimetype, bytes } = part;
        const file_id = await save({ name, mimetype, bytes });
        const file_type = name.split('.').at(-1) ?? '';
        content.push({ type: 'file', file_id, file_name: name, mimetype });
        lines.push(`[the file ${name}, which is shown to the user]`);
        chunks.push({ type: 'tool_file', tool, file_id, file_name: name, file_type });
      }
    }
  }
  return { content, lines, chunks };
}

type File = { name: string; mimetype: string; bytes: Uint8Array };

function functionName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}
