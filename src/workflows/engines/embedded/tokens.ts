/** Identifies a lease of a run or step. Not a secret: access is checked by the workspace of the key. */
export type RunToken = { runId: string; leaseSeq: number };
export type StepToken = { runId: string; scheduledEventId: number; leaseSeq: number };

const RUN = /^([0-9a-f-]{36})\.(\d{1,12})$/;
const STEP = /^([0-9a-f-]{36})\.(\d{1,12})\.(\d{1,12})$/;

export const runToken = ({ runId, leaseSeq }: RunToken): string => `${runId}.${leaseSeq}`;

export const stepToken = ({ runId, scheduledEventId, leaseSeq }: StepToken): string =>
  `${runId}.${scheduledEventId}.${leaseSeq}`;

export function parseRunToken(token: string): RunToken | undefined {
  const match = RUN.exec(token);
  return match ? { runId: match[1] as string, leaseSeq: Number(match[2]) } : undefined;
}

export function parseStepToken(token: string): StepToken | undefined {
  const match = STEP.exec(token);
  return match
    ? { runId: match[1] as string, scheduledEventId: Number(match[2]), leaseSeq: Number(match[3]) }
    : undefined;
}
