import type { Effect } from './effects.ts';
import { notifyRun } from './notify-run.ts';
import { finishAttempt } from './steps.ts';
import { stepToken } from './tokens.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** A step without a worker ends at once; otherwise its worker is asked to stop and reports when it has. */
export async function cancelStep(unit: WorkUnit, run: RunState, seq: number): Promise<Effect[]> {
  const steps = await unit.stepsOf(run);
  const step = steps.values().find((open) => open.seq === seq);
  unit.append(run, 'ACTIVITY_TASK_CANCEL_REQUESTED', {
    activity_id: String(seq),
    scheduled_event_id: step?.scheduled_event_id ?? null,
  });
  if (!step) return [];
  step.cancel_requested = true;
  unit.changedStep(run, step);
  if (step.lease_worker !== null) {
    unit.stepsToStop.add(step);
    return [];
  }
  const token = stepToken({
    runId: step.run_id,
    scheduledEventId: step.scheduled_event_id,
    leaseSeq: step.lease_seq,
  });
  return [
    (isEnding) => {
      if (!isEnding) notifyRun(unit, run, finishAttempt(unit, run, step, { token, cancelled: true }));
    },
  ];
}
