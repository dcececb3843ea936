import { type FormEvent, useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { useAccountChange } from './queries.ts';

const charactersMin = 12;

export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  const [password, setPassword] = useState('');
  const [next, setNext] = useState('');
  const change = useAccountChange({
    run: () => api.post('/console/api/account/password', { password, new_password: next }),
    done: 'The password was changed. Other browsers are signed out.',
    after: () => {
      setPassword('');
      setNext('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  if (!hasPassword) {
    return (
      <Card title="Password">
        <p className="muted">
          You sign in with a provider and have no password. The operator can create a link with which you set one.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Password">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Present password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={charactersMin}
          hint={`At least ${charactersMin} characters. All other browsers are signed out.`}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <ErrorNotice error={change.error} />
        <div className="row">
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
