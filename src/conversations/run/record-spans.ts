import { ApiError } from '../../kit/http/index.ts';
import { placeWithin } from '../../metering/index.ts';
import type { Outcome, PendingCall, RunTask, Speaker } from '../schema/run.ts';
import type { RunRow } from '../store/runs.ts';
import type { Run, RunPorts } from './run.ts';

type Ports = Pick<RunPorts, 'recordSpan' | 'now'>;

/** The span of a whole run: all its model turns, tools and handoffs are within it. */
export function recordRun(
  { recordSpan, now }: Ports,
  row: RunRow,
  speaker: Speaker | undefined,
  { error }: Outcome,
): void {
  const { task } = row;
  if (!recordSpan || !task.place) return;
  const agent = speaker?.agent ?? undefined;
  recordSpan({
    ...whose(task),
    place: task.place,
    name: agent ? `invoke_agent ${agent.name}` : 'invoke_agent',
    operation: 'invoke_agent',
    startedAt: row.created_ms,
    endedAt: now(),
    status: error?.status ?? 200,
    errorType: error?.code ?? undefined,
    agent,
    model: speaker?.model,
  });
}

export function recordTool(
  { ports, task, toolbox, speaker }: Run,
  call: PendingCall,
  { startedAt, result, error }: { startedAt: number; result: string; error?: unknown },
): void {
  if (!ports.recordSpan || !task.place) return;
  const isConnector = toolbox.tools.some(({ name, connector }) => name === call.name && connector);
  const known = error instanceof ApiError ? error : undefined;
  ports.recordSpan({
    ...whose(task),
    place: placeWithin(task.place),
    name: `execute_tool ${call.name}`,
    operation: 'execute_tool',
    startedAt,
    endedAt: ports.now(),
    status: error === undefined ? 200 : (known?.status ?? 500),
    errorType: known?.code ?? undefined,
    agent: speaker.agent ?? undefined,
    tool: { name: call.name, type: isConnector ? 'extension' : 'function', callId: call.id },
    ...(!task.isPrivate && { content: { arguments: call.arguments, result } }),
  });
}

export function recordHandoff({ ports, task, speaker }: Run, nextName: string): void {
  if (!ports.recordSpan || !task.place) return;
  const at = ports.now();
  ports.recordSpan({
    ...whose(task),
    place: placeWithin(task.place),
    name: `handoff ${nextName}`,
    operation: 'handoff',
    startedAt: at,
    endedAt: at,
    status: 200,
    agent: speaker.agent ?? undefined,
  });
}

function whose({ caller, requestId, conversationId }: RunTask) {
  return { scope: caller, requestId, conversationId };
}
