import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from './confirm.tsx';

/** Confirms before unsaved changes to `what` are lost by navigating, closing the window or calling the returned function. */
export function useKeepDraft(isChanged: boolean, what: string): () => Promise<boolean> {
  const confirm = useConfirm();
  const ask = async () =>
    !isChanged ||
    confirm({
      title: 'Leave without saving?',
      body: `Unsaved changes to this ${what} will be lost.`,
      action: 'Leave',
      danger: true,
    });
  useBlocker({ shouldBlockFn: async () => !(await ask()), enableBeforeUnload: isChanged, disabled: !isChanged });
  return ask;
}
