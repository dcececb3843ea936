import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { type ContentSettings, contentsPath, contentsQuery, requestsKey } from './queries.ts';

/** Whether the workspace keeps what was said, and for how long. */
export function ContentsDialog({ onClose }: { onClose: () => void }) {
  const query = useQuery(contentsQuery);
  return <Loaded query={query}>{(settings) => <SettingsForm settings={settings} onClose={onClose} />}</Loaded>;
}

function SettingsForm({ settings, onClose }: { settings: ContentSettings; onClose: () => void }) {
  const [enabled, setEnabled] = useState(settings.enabled);
  const [share, setShare] = useState(String(settings.sample_rate * 100));
  const [days, setDays] = useState(String(settings.retention_days));
  const client = useQueryClient();
  const done = async () => {
    await client.invalidateQueries({ queryKey: requestsKey });
    onClose();
  };
  const save = useMutation({
    mutationFn: () =>
      api.put(contentsPath, { enabled, sample_rate: Number(share) / 100, retention_days: Number(days) }),
    onSuccess: done,
  });
  const clear = useRemoval({
    title: () => 'Delete kept messages?',
    body: 'All messages that this workspace has kept are deleted. Requests stay, without them.',
    action: 'Delete messages',
    run: () => api.delete(contentsPath),
    done: () => 'The kept messages were deleted.',
    leave: onClose,
    reload: requestsKey,
  });
  const isValid = Number(share) >= 0 && Number(share) <= 100 && Number.isInteger(Number(days)) && Number(days) >= 1;
  return (
    <Dialog
      title="Keep messages"
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footer={
        <>
          <Button look="danger" busy={clear.isPending} onClick={() => clear.ask()}>
            Delete kept messages
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={!settings.allowed || !isValid}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        {settings.allowed ? (
          <p>
            Requests are always listed. What was said is kept only if you say so, and never for requests with{' '}
            <code>store: false</code>. {settings.redaction_rules} rules of the operator remove secrets first.
          </p>
        ) : (
          <Notice tone="warning">The operator of this server does not allow messages to be kept.</Notice>
        )}
        <CheckField
          label="Keep the messages of requests in this workspace"
          checked={enabled}
          disabled={!settings.allowed}
          onChange={(event) => setEnabled(event.target.checked)}
        />
        <div className="columns">
          <TextField
            label="Share of requests (%)"
            inputMode="decimal"
            value={share}
            onChange={(event) => setShare(event.target.value)}
          />
          <TextField label="Days" inputMode="numeric" value={days} onChange={(event) => setDays(event.target.value)} />
        </div>
        <ErrorNotice error={save.error} advice="Administrators of the workspace can change this." />
      </div>
    </Dialog>
  );
}
