import { matches } from './unserved-fields.ts';

/** Operations of an SDK that this server leaves out, and why. `*` stands for any text. */
type UnservedOperation = { operation: string; reason: string };

const voiceAgents =
  'Live voice agents talk over the media servers of a third party. Transcription and speech are live on sockets of our own.';
const builds = 'This server builds no deployments and keeps no archive of one: the operator runs the workers.';

/** A line that matches no operation any more must be removed. */
export const unservedOperations: UnservedOperation[] = [
  { operation: '* /v1/audio/agents*', reason: voiceAgents },
  { operation: '* /v1/audio/sessions*', reason: voiceAgents },
  { operation: 'POST /v1/workflows/deployments/{deployment_id}/unharden', reason: builds },
  { operation: 'GET /v1/workflows/deployments/{name}/archive', reason: builds },
];

/** Operations that are not served without a reason, and reasons without such an operation. */
export function reconcileOperations(
  unserved: readonly string[],
  listed: readonly UnservedOperation[] = unservedOperations,
): string[] {
  const isListed = (operation: string) => listed.some((line) => matches(line.operation, operation));
  const stale = listed.filter((line) => !unserved.some((operation) => matches(line.operation, operation)));
  return [
    ...unserved.filter((operation) => !isListed(operation)),
    ...stale.map(({ operation }) => `remove the line ${operation}`),
  ];
}
