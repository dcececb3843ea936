import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { describeError } from './describe-error.ts';
import { Icon } from './icon.tsx';
import styles from './toast.module.css';

type Toast = { id: number; text: string; requestId?: string | undefined; danger: boolean };
type Show = { success(text: string): void; error(error: unknown): void };

const ToastContext = createContext<Show | undefined>(undefined);
const successMs = 5_000;

/** `toast.success('The key was revoked.')`, `toast.error(error)`. An error stays until it is dismissed. */
export function useToast(): Show {
  const show = useContext(ToastContext);
  if (!show) throw new Error('useToast needs the ToastProvider of main.tsx');
  return show;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const region = useRef<HTMLDivElement>(null);
  const show = useMemo<Show>(() => {
    const add = (toast: Omit<Toast, 'id'>) => {
      const id = next.current++;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      if (!toast.danger) setTimeout(() => setToasts((all) => all.filter((one) => one.id !== id)), successMs);
    };
    return {
      success: (text) => add({ text, danger: false }),
      error: (error) => {
        const { message, requestId } = describeError(error);
        add({ text: message, requestId, danger: true });
      },
    };
  }, []);
  // In the top layer above dialogs; shown again because a later dialog would cover it.
  useEffect(() => {
    if (toasts.length === 0) return;
    region.current?.hidePopover();
    region.current?.showPopover();
  }, [toasts]);
  return (
    <ToastContext value={show}>
      {children}
      <div
        ref={region}
        className={styles.toasts}
        popover="manual"
        role="log"
        aria-live="polite"
        aria-label="Notifications"
      >
        {toasts.map((toast) => (
          <div key={toast.id} className={`${styles.toast} ${toast.danger ? styles.danger : ''}`}>
            <Icon name={toast.danger ? 'warning' : 'check'} />
            <div className="grow">
              {toast.text}
              {toast.requestId && <div className="small muted">Request {toast.requestId}</div>}
            </div>
            <Button
              look="quiet"
              small
              icon="close"
              iconOnly
              onClick={() => setToasts((all) => all.filter((one) => one.id !== toast.id))}
            >
              Dismiss
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
