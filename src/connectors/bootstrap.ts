import { ApiError } from '../kit/http/index.ts';
import type { Connection } from './connection.ts';
import type { BootstrapConnector, ConnectorBootstrap, ConnectorConfig, ConnectorTool } from './schema.ts';

/** What clients take: Vibe drops a connector with more tools, and everything if it is longer than 2 MiB. */
const TOOLS_MAX = 128;
const CHARACTERS_MAX = 1.5 * 1024 * 1024;

/** Each connector with its tools; one that cannot be used now says why, in the form `code: message`. */
export async function bootstrapConnectors(
  usable: readonly ConnectorConfig[],
  connect: (id: string) => Promise<Connection>,
): Promise<ConnectorBootstrap> {
  const listed = await Promise.all(usable.map(({ id }) => listTools(id, connect)));
  let left = CHARACTERS_MAX;
  const connectors = usable.map(({ id, description = null }, index): BootstrapConnector => {
    const { tools, problems } = listed[index] ?? { tools: [], problems: [] };
    left -= JSON.stringify(tools).length;
    const isReady = tools.length > 0 && left >= 0;
    return {
      id,
      name: id,
      display_name: id,
      description,
      protocol: 'mcp',
      status: { is_ready: isReady },
      auth_action: null,
      tools:
        left < 0
          ? []
          : tools.map(({ name, description, parameters: inputSchema }) => ({ name, description, inputSchema })),
      bootstrap_errors:
        left < 0 ? [...problems, 'list_too_long: All tools together are described at too great a length.'] : problems,
    };
  });
  return { connectors };
}

async function listTools(id: string, connect: (id: string) => Promise<Connection>) {
  try {
    const { tools } = await connect(id);
    return { tools: tools.slice(0, TOOLS_MAX), problems: problemsOf(tools) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { tools: [], problems: [`${error.code}: ${error.message}`] };
  }
}

function problemsOf({ length }: readonly ConnectorTool[]): string[] {
  if (length === 0) return ['no_tools: The connector lists no tools.'];
  return length > TOOLS_MAX ? [`too_many_tools: Of ${length} tools the first ${TOOLS_MAX} are offered.`] : [];
}
