import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';

type Props = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons; with onSubmit, one of them has `type="submit"`. */
  footer?: ReactNode;
  wide?: boolean;
  onSubmit?: () => void;
};

/** A native modal dialog. Render it only while open: `{editing && <Dialog … />}`. */
export function Dialog({ title, onClose, children, footer, wide = false, onSubmit }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React events bubble through portals: without this an outer form would be submitted as well.
    event.stopPropagation();
    onSubmit?.();
  };
  const content = (
    <>
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button look="quiet" icon="close" iconOnly onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="dialog-body">{children}</div>
      {footer && <div className="dialog-foot">{footer}</div>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      className={`dialog ${wide ? 'dialog-wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit ? (
        <form className="dialog-inner" onSubmit={submit}>
          {content}
        </form>
      ) : (
        <div className="dialog-inner">{content}</div>
      )}
    </dialog>
  );
}
