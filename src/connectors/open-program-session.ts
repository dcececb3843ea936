import { createPlaces, type Places } from '../kit/fair-queue/index.ts';
import { connectorErrors } from './errors.ts';
import { isNewer, ProgramEnded } from './explain-failure.ts';
import { type Era, openSession, type Session } from './open-session.ts';
import { programWire, type RunningProgram } from './program-wire.ts';
import type { ConnectorConfig, ProgramConfig } from './schema/connections.ts';

/** Starts the program of a connector in its sandbox, with these variables beside those of the configuration. */
export type StartProgram = (id: string, environment: Record<string, string>) => RunningProgram;

type Options = {
  config: ConnectorConfig & { stdio: ProgramConfig };
  organizationId: string;
  headers: Headers;
  version: string;
  era: Era | undefined;
  timeoutMs: number;
  bytesMax: number;
  signal: AbortSignal;
};

/** Closes a session that nobody uses, of this organization first; false if there is none. */
type MakeRoom = (id: string, organizationId: string) => Promise<boolean>;

export type ProgramSessions = { open(options: Options): Promise<Session> };

/** An old program that does not know the question for its generation may leave it without an answer. Others start slowly. */
const PROBE_MS = 10_000;

/** Each session is a process of its own, so that no consumer meets what another one left in it. */
export function createProgramSessions(start: StartProgram, makeRoom: MakeRoom): ProgramSessions {
  const places = new Map<string, Places>();

  async function take(id: string, { concurrency, per_organization }: ProgramConfig, organization: string) {
    const perOrganization = per_organization ?? Math.max(1, concurrency - 1);
    const known = places.get(id) ?? createPlaces({ total: concurrency, perOrganization, perKey: concurrency });
    places.set(id, known);
    const tenant = { organization, key: organization };
    const taken = known.take(tenant) ?? ((await makeRoom(id, organization)) ? known.take(tenant) : undefined);
    if (!taken) throw connectorErrors.connector_busy(id);
    return taken;
  }

  async function openOnce(program: ProgramConfig, options: Options, era: Era | undefined): Promise<Session> {
    const { config, organizationId, headers, bytesMax } = options;
    const token = tokenOf(config, program, headers);
    const leave = await take(config.id, program, organizationId);
    const running = start(config.id, token);
    void running.ended.then(leave);
    const prior = era?.kind === 'older transport' ? undefined : era;
    const secrets = [...Object.values(program.env), ...Object.values(token)];
    const session = await openSession(programWire(running, bytesMax), {
      ...options,
      era: prior,
      probeMs: Math.min(PROBE_MS, options.timeoutMs),
      secrets,
    }).catch(async (error: unknown) => {
      await running.end();
      throw error;
    });
    return session;
  }

  return {
    async open(options) {
      const { config, era } = options;
      try {
        return await openOnce(config.stdio, options, era);
      } catch (error) {
        if (era) throw error;
        // Some old programs end at the question for their generation; a new one that answered too late wants no other.
        if (error instanceof ProgramEnded) return openOnce(config.stdio, options, { kind: 'legacy' });
        if (isNewer(error)) return openOnce(config.stdio, options, undefined);
        throw error;
      }
    },
  };
}

/** The consumer's own token as a variable: a program has no headers. */
function tokenOf({ id, api_key_header }: ConnectorConfig, { token_variable }: ProgramConfig, headers: Headers) {
  const value = headers.get(api_key_header) ?? headers.get('authorization');
  if (value === null) return {};
  if (token_variable === undefined)
    throw connectorErrors.connector_request_invalid(
      `The connector '${id}' is a program that takes no credentials. Remove those that are stored for it.`,
    );
  return { [token_variable]: value.replace(/^Bearer /i, '') };
}
