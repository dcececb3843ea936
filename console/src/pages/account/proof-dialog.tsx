import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';

export type Proof = { password: string; code?: string };

type Props = {
  title: string;
  action: string;
  asksCode: boolean;
  busy: boolean;
  error: unknown;
  onProof: (proof: Proof) => void;
  onClose: () => void;
  children?: ReactNode;
};

/** Asks the owner again before the ways to sign in change. */
export function ProofDialog({ title, action, asksCode, busy, error, onProof, onClose, children }: Props) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => onProof({ password, ...(asksCode ? { code } : {}) })}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {asksCode && (
        <TextField
          label="Code"
          hint="Of your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <ErrorNotice error={error} />
    </Dialog>
  );
}
