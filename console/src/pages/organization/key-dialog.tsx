import { useState } from 'react';
import type { ConsoleKey, ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { useChange } from './use-change.ts';

type Props = {
  title: string;
  /** The organization or workspace of the key. */
  place: { label: string; name: string };
  create: (body: { name: string; expires_at?: string }) => Promise<ConsoleNewKey>;
  example: (value: string) => string;
  onClose: () => void;
};

export function KeyDialog({ title, place, create, example, onClose }: Props) {
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const make = useChange({
    quiet: true,
    run: () => create({ name: name.trim(), ...(expires ? { expires_at: endOf(expires) } : {}) }),
  });
  if (make.data) {
    return (
      <SecretDialog
        title={named(make.data)}
        value={make.data.value}
        example={example(make.data.value)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => make.mutate(undefined)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Create
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint="Describe its purpose, so you know later which key to revoke."
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField label={place.label} readOnly value={place.name} />
      <TextField
        label="Expires on"
        hint="Leave empty for no expiry."
        type="date"
        min={tomorrow()}
        value={expires}
        onChange={(event) => setExpires(event.target.value)}
      />
      <ErrorNotice error={make.error} />
    </Dialog>
  );
}

function named(key: ConsoleKey): string {
  return key.name ? `The key “${key.name}”` : 'The new key';
}

function endOf(day: string): string {
  return `${day}T23:59:59Z`;
}

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}
