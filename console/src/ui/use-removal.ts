import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConfirm } from './confirm.tsx';
import { useToast } from './toast.tsx';

type Options<Item> = {
  title: (item: Item) => string;
  /** What is lost, and what stays. */
  body: string | ((item: Item) => ReactNode | Promise<ReactNode>);
  action: string;
  run: (item: Item) => Promise<unknown>;
  done: (item: Item) => string;
  /** Leaves the page or dialog of what is no more. */
  leave?: () => unknown;
  /** The query of what is no more. */
  forget?: QueryKey;
  /** The lists that it was in. */
  reload: QueryKey;
};

/** Asks, deletes, says so, and reloads what it was in. */
export function useRemoval<Item = void>({ title, body, action, run, done, leave, forget, reload }: Options<Item>) {
  const confirm = useConfirm();
  const client = useQueryClient();
  const toast = useToast();
  const { mutate, isPending } = useMutation({
    mutationFn: run,
    onSuccess: async (_, item) => {
      await leave?.();
      if (forget) client.removeQueries({ queryKey: forget });
      toast.success(done(item));
      await client.invalidateQueries({ queryKey: reload });
    },
    onError: (error) => toast.error(error),
  });
  const ask = async (item: Item): Promise<void> => {
    const lost = typeof body === 'string' ? body : await body(item);
    if (await confirm({ title: title(item), body: lost, action, danger: true })) mutate(item);
  };
  return { ask: (item: Item) => void ask(item).catch(toast.error), isPending };
}
