/** The parts of a history event used for timers, messages and turns. */
export type HistoryEvent = {
  eventId: string;
  eventTime: string;
  eventType: string;
  timerStartedEventAttributes?: { timerId: string; fireAtMs?: number; startToFireTimeout?: string };
  timerFiredEventAttributes?: { timerId: string };
  timerCanceledEventAttributes?: { timerId: string };
  workflowExecutionSignaledEventAttributes?: { signalName: string; input?: unknown };
  workflowExecutionUpdateAcceptedEventAttributes?: {
    name?: string;
    input?: unknown;
    acceptedRequest?: { input?: { name?: string; args?: unknown } };
  };
};

export type Timer = {
  id: string;
  startMs: number;
  dueMs: number | undefined;
  end: { atMs: number; isCanceled: boolean } | undefined;
};

/** Reads timers from the history, because the event stream does not contain them. */
export function readTimers(history: readonly HistoryEvent[]): Timer[] {
  const timers = new Map<string, Timer>();
  for (const event of history) {
    const atMs = Date.parse(event.eventTime);
    const started = event.timerStartedEventAttributes;
    if (started) {
      const dueMs = started.fireAtMs ?? dueAfter(atMs, started.startToFireTimeout);
      timers.set(started.timerId, { id: started.timerId, startMs: atMs, dueMs, end: undefined });
    }
    const fired = event.timerFiredEventAttributes;
    const ended = timers.get((fired ?? event.timerCanceledEventAttributes)?.timerId ?? '');
    if (ended) ended.end = { atMs, isCanceled: fired === undefined };
  }
  return [...timers.values()];
}

/** Temporal writes durations as seconds with an `s` suffix. */
function dueAfter(startMs: number, timeout: string | undefined): number | undefined {
  const seconds = Number.parseFloat(timeout ?? '');
  return Number.isFinite(seconds) ? startMs + seconds * 1000 : undefined;
}

export type ResetPoint = { eventId: number; atMs: number };

/** The ends of turns, to which an execution can be reset. */
export function readResetPoints(history: readonly HistoryEvent[]): ResetPoint[] {
  return history
    .filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED')
    .map(({ eventId, eventTime }) => ({ eventId: Number(eventId), atMs: Date.parse(eventTime) }));
}
