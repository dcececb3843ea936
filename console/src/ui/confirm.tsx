import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export type Question = { title: string; body: ReactNode; action: string; danger?: boolean };
type Ask = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Ask | undefined>(undefined);

/** `if (await confirm({ title: 'Delete the prompt?', body: …, action: 'Delete', danger: true })) …` */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error('useConfirm needs the ConfirmProvider of main.tsx');
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<{ question: Question; answer: (yes: boolean) => void }>();
  const ask = useCallback<Ask>((question) => new Promise((resolve) => setOpen({ question, answer: resolve })), []);
  const close = (yes: boolean) => {
    open?.answer(yes);
    setOpen(undefined);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {open && (
        <Dialog
          title={open.question.title}
          onClose={() => close(false)}
          footer={
            <>
              <Button onClick={() => close(false)}>Cancel</Button>
              <Button look={open.question.danger ? 'danger' : 'primary'} onClick={() => close(true)}>
                {open.question.action}
              </Button>
            </>
          }
        >
          <div className="breakable">{open.question.body}</div>
        </Dialog>
      )}
    </ConfirmContext>
  );
}
