import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from '../../ui/confirm.tsx';

/** Asks before what was typed is lost: by another page, by closing the window, or when the returned function is called. */
export function useKeepDraft(isChanged: boolean): () => Promise<boolean> {
  const confirm = useConfirm();
  const ask = async () =>
    !isChanged ||
    confirm({
      title: 'Leave without saving?',
      body: 'What you changed in the files of this skill is lost.',
      action: 'Leave',
      danger: true,
    });
  useBlocker({ shouldBlockFn: async () => !(await ask()), enableBeforeUnload: isChanged, disabled: !isChanged });
  return ask;
}
