import { atEnd } from '../../test/support/cleanup.ts';
import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { type ConnectionService, type ConnectorConfig, createConnectionService, type StartProgram } from './index.ts';

export const here = {
  organization_id: 'o',
  workspace_id: '0198c0de-0000-7000-8000-000000000001',
  user_id: 'u',
};
export const never = new AbortController().signal;

/** The service on one declared connector, `wiki`, with its clock in the test's hands. */
export function serveConnector(
  given: Partial<ConnectorConfig> & { url: string },
  { allow = [], startProgram }: { allow?: string[]; startProgram?: StartProgram } = {},
): { service: ConnectionService; clock: { now: number }; lines: string[] } {
  const lines: string[] = [];
  const clock = { now: 1_000_000 };
  const outbound = createOutbound({ allow });
  const common = { headers: {}, api_key_header: 'authorization', timeout_seconds: 20, result_limit_kib: 64 };
  const service = createConnectionService({
    connectors: [{ id: 'wiki', ...common, ...given }],
    outbound,
    startProgram,
    version: '1.0.0',
    now: () => clock.now,
    log: createLog('trace', { write: (line: string) => void lines.push(line) }),
  });
  atEnd(async () => {
    await service.close();
    await outbound.close();
  });
  return { service, clock, lines };
}

/** One call in the way of `call_tool`: connect, call, leave. */
export async function callOnce(
  service: ConnectionService,
  given: { tool?: string; arguments?: Record<string, unknown>; consumer?: typeof here; token?: string } = {},
): Promise<string> {
  const { tool = 'echo', arguments: args = { text: 'salut' }, consumer = here, token } = given;
  const authorization = token === undefined ? undefined : { type: 'oauth2-token' as const, value: token };
  const connection = await service.connect(consumer, 'wiki', { authorization, keep: true });
  try {
    const { parts } = await connection.call(tool, args, never);
    return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  } finally {
    await connection.close();
  }
}

export async function failureOf(promise: Promise<unknown>): Promise<Error & { status?: number; code?: string }> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('It did not fail.');
  return outcome;
}
