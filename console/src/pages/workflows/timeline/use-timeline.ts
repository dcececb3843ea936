import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StreamEventSsePayload, WorkflowEvent } from '../../../../../src/workflows/schema/events.ts';
import { stream } from '../../../api/stream.ts';
import { type Execution, executionQuery, executionsKey, historyQuery } from '../queries.ts';
import { isRunning } from '../statuses.ts';
import { createTimeline, type Timeline } from './create-timeline.ts';
import { readMessages } from './read-messages.ts';
import { readTimers } from './read-timers.ts';

const RETRY_MS = 2_000;

export type FollowedTimeline = {
  timeline: Timeline;
  /** Increases when the timeline changes. */
  version: number;
  /** Whether all events stored before the page was opened are read. */
  isCaughtUp: boolean;
  error: unknown;
};

/** Follows an execution: events of its tree from a stream that reconnects, timers from the history of its run. */
export function useTimeline(execution: Execution): FollowedTimeline {
  const { execution_id: id, root_execution_id: root, run_id: runId } = execution;
  const isLive = isRunning(execution.status);
  const timeline = useMemo(() => createTimeline(id), [id]);
  const place = useRef({ timeline, nextSequence: 1 });
  if (place.current.timeline !== timeline) place.current = { timeline, nextSequence: 1 };
  const [version, setVersion] = useState(0);
  const [isCaughtUp, setIsCaughtUp] = useState(false);
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run or a status change restarts the stream.
  useEffect(() => {
    const stop = new AbortController();
    let frame = 0;
    const draw = () => {
      if (frame === 0)
        frame = requestAnimationFrame(() => {
          frame = 0;
          setVersion(timeline.version);
        });
    };
    const renew = () => client.invalidateQueries({ queryKey: [...executionsKey, 'one', id] });

    async function read(): Promise<void> {
      const from = place.current.nextSequence;
      const query = { root_workflow_exec_id: root, start_seq: from };
      for await (const { data } of stream('/v1/workflows/events/stream', undefined, stop.signal, { query })) {
        const payload = JSON.parse(data) as StreamEventSsePayload;
        if (!payload.data) continue;
        timeline.add(payload.data);
        place.current.nextSequence = payload.broker_sequence + 1;
        draw();
        if (endsExecution(payload.data, id)) void renew();
      }
    }

    async function follow(): Promise<void> {
      while (!stop.signal.aborted) {
        try {
          await read();
          setError(undefined);
          const now = await client.fetchQuery({ ...executionQuery(id), staleTime: 0 });
          setIsCaughtUp(true);
          if (!isRunning(now.status)) return;
        } catch (failure) {
          if (stop.signal.aborted) return;
          setError(failure);
        }
        await pause(RETRY_MS, stop.signal);
      }
    }

    void follow();
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [timeline, root, runId, isLive]);

  const isKnown = version > 0;
  const history = useQuery({ ...historyQuery(runId ?? '', isLive), enabled: Boolean(runId) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run is known once its first event has arrived.
  useEffect(() => {
    if (!runId || !history.data) return;
    timeline.addTimers(runId, readTimers(history.data));
    timeline.addMessages(runId, readMessages(history.data));
    setVersion(timeline.version);
  }, [timeline, runId, history.data, isKnown]);

  return { timeline, version, isCaughtUp: isCaughtUp || version > 0, error };
}

function endsExecution(event: WorkflowEvent, id: string): boolean {
  return event.workflow_exec_id === id && event.event_type.startsWith('WORKFLOW_EXECUTION_');
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
