import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { type Document, librariesKey, libraryPath } from './queries.ts';

export type Upload = {
  id: number;
  name: string;
  bytes: number;
  state: 'waiting' | 'sending' | 'failed';
  error: unknown;
};

const AT_ONCE = 2;

/** Sends files two at a time. A file that has arrived leaves the list and is a document; `known` ones were there. */
export function useUploads(libraryId: string, onKnown: (names: string) => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queue = useRef<{ upload: Upload; file: File }[]>([]);
  const running = useRef(0);
  const nextId = useRef(0);
  const client = useQueryClient();
  const said = useRef(onKnown);
  said.current = onKnown;

  const change = useCallback((id: number, part: Partial<Upload> | undefined) => {
    setUploads((all) =>
      part ? all.map((one) => (one.id === id ? { ...one, ...part } : one)) : all.filter((one) => one.id !== id),
    );
  }, []);

  const work = useCallback(async () => {
    for (let next = queue.current.shift(); next; next = queue.current.shift()) {
      const { upload, file } = next;
      change(upload.id, { state: 'sending' });
      try {
        const form = new FormData();
        form.append('file', file, file.name);
        const response = await api.raw('POST', `${libraryPath(libraryId)}/documents`, form);
        const document = (await response.json()) as Document;
        if (response.status === 200) said.current(document.name);
        change(upload.id, undefined);
        await client.invalidateQueries({ queryKey: librariesKey });
      } catch (error) {
        change(upload.id, { state: 'failed', error });
      }
    }
    running.current -= 1;
  }, [change, client, libraryId]);

  const add = useCallback(
    (files: readonly File[]) => {
      const entries = files.map((file) => {
        const id = nextId.current++;
        return {
          file,
          upload: { id, name: file.name, bytes: file.size, state: 'waiting', error: undefined } as Upload,
        };
      });
      setUploads((all) => [...all, ...entries.map(({ upload }) => upload)]);
      queue.current.push(...entries);
      while (running.current < Math.min(AT_ONCE, queue.current.length + running.current)) {
        running.current += 1;
        void work();
      }
    },
    [work],
  );
  return { uploads, add, dismiss: (id: number) => change(id, undefined) };
}
