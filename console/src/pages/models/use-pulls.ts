import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Pull } from '../../../../src/console/schema/models.ts';
import { stream } from '../../api/stream.ts';
import { useToast } from '../../ui/toast.tsx';
import { modelsQuery } from './queries.ts';

/** Follows active downloads and reloads the list when one ends. The stream ends with the last of them. */
export function usePulls(known: readonly Pull[]): ReadonlyMap<string, Pull> {
  const [seen, setSeen] = useState<ReadonlyMap<string, Pull>>(new Map());
  const client = useQueryClient();
  const toast = useToast();
  const running = known.some(({ state }) => state === 'running');
  useEffect(() => {
    if (!running) return;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const { event, data } of stream('/console/api/models/pulls/stream', undefined, leaving.signal)) {
        if (event !== 'pull') continue;
        const pull = JSON.parse(data) as Pull;
        setSeen((all) => new Map(all).set(pull.model, pull));
        if (pull.state === 'done') toast.success(`${pull.model} was downloaded.`);
      }
      await client.invalidateQueries(modelsQuery);
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) toast.error(error);
    });
    return () => leaving.abort();
  }, [running, client, toast]);
  const pulls = new Map(known.map((pull) => [pull.model, pull]));
  for (const [model, pull] of seen) {
    // For an ended download the list is newer than the last event.
    if (pulls.get(model)?.state === 'running' || !pulls.has(model)) pulls.set(model, pull);
  }
  return pulls;
}
