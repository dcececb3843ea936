import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/api.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { ThemeSwitch } from '../../ui/theme-switch.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Who the user is to others, and how the console looks. */
export function ProfileCard({ isOwner }: { isOwner: boolean }) {
  const { user, organization, sign_in } = useSession();
  const [name, setName] = useState(user.name ?? '');
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: () => api.patch('/console/api/account', { name: name.trim() }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast.success('Your name was changed.');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const isUnchanged = name.trim() === '' || name.trim() === (user.name ?? '');
  return (
    <>
      <Card title="Profile">
        <form className="stack" onSubmit={submit}>
          <TextField
            label="Your name"
            fills="name"
            autoComplete="name"
            hint="Others see it beside what you do."
            readOnly={!isOwner}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <ErrorNotice error={save.error} />
          {isOwner && (
            <div className="row">
              <Button type="submit" busy={save.isPending} disabled={isUnchanged}>
                Save name
              </Button>
            </div>
          )}
          <Facts
            facts={[
              ['E-mail', user.email],
              ['Organization', organization.name],
              ['Signed in with', sign_in.provider ?? 'password'],
            ]}
          />
        </form>
      </Card>
      <Card title="Appearance">
        <div className="row">
          <ThemeSwitch label="Theme of the console" />
        </div>
      </Card>
    </>
  );
}
