import { openDeclaredConnectors } from '../compose/open-connectors.ts';
import type { Config } from '../config/config.ts';
import { type Inspection, reasonOfEnd } from '../connectors/index.ts';
import { createLog } from '../kit/base/log.ts';
import { ApiError } from '../kit/http/index.ts';
import { CommandFailure } from './command-failure.ts';

export type Declared = {
  id: string;
  /** Without the parts that may be secret; the command of a program. */
  url: string;
  description: string | null;
  headers: string[];
  workspaces: string[] | null;
};

export type Inspected = { id: string } & ({ error: string } | ({ error: null } & Inspection));

/** The configured connectors, with the names of their headers but not their values. */
export function listConnectors({ file }: Pick<Config, 'file'>): Declared[] {
  return file.connectors.map(({ id, url, stdio, description, headers, workspaces }) => ({
    id,
    url: url === undefined ? `stdio: ${stdio?.command}` : new URL(url).origin + new URL(url).pathname,
    description: description ?? null,
    headers: Object.keys(headers),
    workspaces: workspaces ?? null,
  }));
}

/** Connects to each connector, or to the named one, and lists its tools. */
export async function inspectConnectors(config: Pick<Config, 'file'>, only?: string): Promise<Inspected[]> {
  const ids = config.file.connectors.map(({ id }) => id);
  if (only !== undefined && !ids.includes(only))
    throw new CommandFailure(
      `There is no connector '${only}' in the configuration. Declared: ${ids.join(', ') || 'none'}.`,
    );
  const { connectors, close } = openDeclaredConnectors(config, createLog('silent'));
  try {
    return await Promise.all(
      ids
        .filter((id) => only === undefined || id === only)
        .map(async (id): Promise<Inspected> => {
          try {
            return { id, error: null, ...(await connectors.inspect(id)) };
          } catch (error) {
            const reason = reasonOfEnd(error);
            if (error instanceof ApiError)
              return { id, error: reason === undefined ? error.message : `${error.message} ${reason}` };
            throw error;
          }
        }),
    );
  } finally {
    await close();
  }
}
