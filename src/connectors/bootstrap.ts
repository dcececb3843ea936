import { ApiError } from '../kit/http/index.ts';
import type { Connection } from './connection.ts';
import { connectorErrors } from './errors.ts';
import type { BootstrapConnector, BootstrapQuery, ConnectorBootstrap, ConnectorTool } from './schema/connections.ts';
import type { Target } from './targets.ts';

/** What clients take: Vibe drops a connector with more tools, and everything if it is longer than 2 MiB. */
const TOOLS_MAX = 128;
const CHARACTERS_MAX = 1.5 * 1024 * 1024;
/** A slow server must not hold up the others, nor all of them be asked at once. */
const AT_ONCE = 16;

type Listed = { tools: ConnectorTool[]; problems: string[]; needsSignIn: boolean };

/** Each connector with its tools; one that cannot be used now says why, in the form `code: message`. */
export async function bootstrapConnectors(
  usable: readonly Target[],
  connect: (target: Target) => Promise<Connection>,
  query: BootstrapQuery = {},
): Promise<ConnectorBootstrap> {
  const listed: Listed[] = [];
  for (let start = 0; start < usable.length; start += AT_ONCE)
    listed.push(
      ...(await Promise.all(usable.slice(start, start + AT_ONCE).map((target) => listTools(target, connect)))),
    );
  let left = CHARACTERS_MAX;
  const connectors = usable.flatMap(({ id, config, row }, index): BootstrapConnector[] => {
    const { tools, problems, needsSignIn } = listed[index] ?? { tools: [], problems: [], needsSignIn: false };
    if (needsSignIn && !query.include_auth_actionable_connectors) return [];
    left -= JSON.stringify(tools).length;
    const isReady = tools.length > 0 && left >= 0;
    return [
      {
        id,
        name: config.id,
        display_name: row?.title ?? config.id,
        description: config.description ?? null,
        protocol: 'mcp',
        status: { is_ready: isReady },
        auth_action: needsSignIn ? { type: 'oauth2' } : null,
        tools:
          left < 0
            ? []
            : tools.map(({ name, description, parameters: inputSchema }) => ({ name, description, inputSchema })),
        bootstrap_errors:
          left < 0 ? [...problems, 'list_too_long: All tools together are described at too great a length.'] : problems,
      },
    ];
  });
  return { connectors };
}

async function listTools(target: Target, connect: (target: Target) => Promise<Connection>): Promise<Listed> {
  try {
    const { tools } = await connect(target);
    return { tools: tools.slice(0, TOOLS_MAX), problems: problemsOf(tools), needsSignIn: false };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const needsSignIn = error.code === connectorErrors.connector_sign_in_required.code;
    return { tools: [], problems: [`${error.code}: ${error.message}`], needsSignIn };
  }
}

function problemsOf({ length }: readonly ConnectorTool[]): string[] {
  if (length === 0) return ['no_tools: The connector lists no tools.'];
  return length > TOOLS_MAX ? [`too_many_tools: Of ${length} tools the first ${TOOLS_MAX} are offered.`] : [];
}
