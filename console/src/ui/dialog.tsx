import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { FormErrors } from './form-errors.tsx';

type Props = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons; with onSubmit, one of them has `type="submit"`. */
  footer?: ReactNode;
  wide?: boolean;
  onSubmit?: () => void;
};

const FIRST_FIELD =
  ':is(input:not([type=hidden], [hidden], :disabled, [readonly]), textarea:not(:disabled, [readonly]), select:not(:disabled))';

/**
 * A native modal dialog; render it only while open: `{editing && <Dialog … />}`.
 * The first field has the focus, and Escape asks when something was typed into a form.
 */
export function Dialog({ title, onClose, children, footer, wide = false, onSubmit }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would focus the close button, and Enter would then close.
    body.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => element?.close();
  }, []);
  const typed = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const leave = () => {
    if (onSubmit && typed.current) setAsking(true);
    else onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React events bubble through portals: without this an outer form would be submitted as well.
    event.stopPropagation();
    onSubmit?.();
  };
  const content = (
    <FormErrors>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        <Button look="quiet" icon="close" iconOnly onClick={leave}>
          Close
        </Button>
      </div>
      <div ref={body} className={styles.body}>
        {children}
      </div>
      {/* The keys keep React from making the clicked button the one that submits. */}
      {isAsking ? (
        <div key="asking" className={styles.foot} role="alert">
          <span className="grow">Close without saving what you typed?</span>
          <Button onClick={() => setAsking(false)}>Keep editing</Button>
          <Button look="danger" onClick={onClose}>
            Discard
          </Button>
        </div>
      ) : (
        footer && (
          <div key="footer" className={styles.foot}>
            {footer}
          </div>
        )
      )}
    </FormErrors>
  );
  return (
    <dialog
      ref={dialog}
      className={`${styles.dialog} ${wide ? styles.wide : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        leave();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The browser closes at a second Escape without asking the page.
        event.preventDefault();
        if (isAsking) setAsking(false);
        else leave();
      }}
      onInput={() => {
        typed.current = true;
      }}
    >
      {onSubmit ? (
        <form className={styles.inner} onSubmit={submit}>
          {content}
        </form>
      ) : (
        <div className={styles.inner}>{content}</div>
      )}
    </dialog>
  );
}
