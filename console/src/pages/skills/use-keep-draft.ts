import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from '../../ui/confirm.tsx';

/** Confirms before unsaved changes are lost by navigating, closing the window or calling the returned function. */
export function useKeepDraft(isChanged: boolean): () => Promise<boolean> {
  const confirm = useConfirm();
  const ask = async () =>
    !isChanged ||
    confirm({
      title: 'Leave without saving?',
      body: 'Unsaved changes to this skill will be lost.',
      action: 'Leave',
      danger: true,
    });
  useBlocker({ shouldBlockFn: async () => !(await ask()), enableBeforeUnload: isChanged, disabled: !isChanged });
  return ask;
}
