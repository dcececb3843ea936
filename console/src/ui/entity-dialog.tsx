import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-state.tsx';
import type { IconName } from './icon.tsx';

type Props = {
  title: string;
  /** What the button that saves says. */
  action: string;
  icon?: IconName;
  /** The mutation that saves. */
  save: { isPending: boolean; error: unknown };
  onSave: () => void;
  onClose: () => void;
  /** Whether something that is needed is missing. */
  isIncomplete?: boolean;
  wide?: boolean;
  /** The fields. */
  children: ReactNode;
};

/** Makes or changes one object: fields, what went wrong, and the two buttons. */
export function EntityDialog({
  title,
  action,
  icon,
  save,
  onSave,
  onClose,
  isIncomplete = false,
  wide = false,
  children,
}: Props) {
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      onSubmit={onSave}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" {...(icon && { icon })} busy={save.isPending} disabled={isIncomplete}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        {children}
        <ErrorNotice error={save.error} />
      </div>
    </Dialog>
  );
}
