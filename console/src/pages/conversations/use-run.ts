import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api.ts';
import { type StreamEvent as Frame, stream } from '../../api/stream.ts';
import type { Entry, StreamEvent } from './entries.ts';
import { followRun } from './follow-run.ts';
import { branchesQuery, conversationPath, conversationsKey, historyQuery } from './queries.ts';

export type Run = {
  /** Entries of the current run, until they are read with the history. */
  live: readonly Entry[];
  isRunning: boolean;
  error: unknown;
  /** Appends and follows the run. Resolves to false when rejected; `error` has the reason. */
  send: (body: object) => Promise<boolean>;
};

/** Follows the active run of a conversation and starts new ones. Runs continue when the page is left. */
export function useRun(id: string): Run {
  const [live, setLive] = useState<readonly Entry[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const stop = useRef<AbortController>(undefined);

  const follow = useCallback(
    async (frames: AsyncIterable<Frame>, signal: AbortSignal) => {
      let entries: readonly Entry[] = [];
      let frame = 0;
      const show = () => {
        if (frame === 0)
          frame = requestAnimationFrame(() => {
            frame = 0;
            setLive(entries);
          });
      };
      for await (const { data } of frames) {
        if (signal.aborted) return;
        const event = JSON.parse(data) as StreamEvent;
        if (event.type === 'conversation.response.started')
          void client.invalidateQueries({ queryKey: historyQuery(id).queryKey });
        if (event.type === 'conversation.response.error') setError(new ApiError(event.code, event.message));
        entries = followRun(entries, event);
        show();
      }
    },
    [client, id],
  );

  /** Reads the stored entries before dropping the streamed ones, so that none is missing in between. */
  const settle = useCallback(
    async (signal: AbortSignal) => {
      await client.invalidateQueries({ queryKey: historyQuery(id).queryKey });
      if (signal.aborted) return;
      setLive([]);
      setIsRunning(false);
      void client.invalidateQueries({ queryKey: [...conversationsKey, 'list'] });
      void client.invalidateQueries({ queryKey: branchesQuery(id).queryKey });
    },
    [client, id],
  );

  useEffect(() => {
    const own = new AbortController();
    stop.current = own;
    setLive([]);
    setError(undefined);
    setIsRunning(true);
    const path = `${conversationPath(id)}/events`;
    follow(stream(path, undefined, own.signal), own.signal)
      .catch((failure: unknown) => {
        // Events of a run that ended long ago are no longer stored.
        if (!own.signal.aborted && !(failure instanceof ApiError && failure.status === 404)) setError(failure);
      })
      .then(() => settle(own.signal));
    return () => own.abort();
  }, [id, follow, settle]);

  const send = useCallback(
    async (body: object) => {
      const signal = stop.current?.signal ?? new AbortController().signal;
      setError(undefined);
      setIsRunning(true);
      try {
        await follow(stream(conversationPath(id), { ...body, stream: true }, signal), signal);
        return true;
      } catch (failure) {
        if (!signal.aborted) setError(failure);
        return false;
      } finally {
        await settle(signal);
      }
    },
    [id, follow, settle],
  );
  return { live, isRunning, error, send };
}

/** Starts a conversation and returns its ID as soon as it is known; the run continues on the server. */
export async function beginConversation(path: string, body: object): Promise<string> {
  const leave = new AbortController();
  try {
    for await (const { data } of stream(path, { ...body, stream: true }, leave.signal)) {
      const event = JSON.parse(data) as StreamEvent;
      if (event.type === 'conversation.response.started') return event.conversation_id;
    }
  } finally {
    leave.abort();
  }
  throw new Error('The run ended before the conversation was created.');
}
