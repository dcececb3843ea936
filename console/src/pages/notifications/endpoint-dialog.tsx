import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CreatedNotificationEndpoint,
  NotificationEventType,
} from '../../../../src/notifications/schema/endpoints.ts';
import { eventTypes } from '../../../../src/notifications/schema/event-types.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { endpointsKey, endpointsPath } from './queries.ts';

export function EndpointDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly NotificationEventType[]>([]);
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      api.post<CreatedNotificationEndpoint>(endpointsPath, {
        url: url.trim(),
        description,
        event_types: chosen.length === 0 ? null : chosen,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: endpointsKey }),
  });
  if (create.data)
    return (
      <ShownOnce
        title="Signing secret"
        secret={create.data.secret ?? ''}
        notice="Copy the secret now: it is shown once. The receiver verifies each message with it."
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title="New endpoint"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={url.trim() === ''}>
            Create endpoint
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label="Address"
          placeholder="https://example.com/hooks"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
        <fieldset className="stack-tight">
          <legend className="field-label">Events</legend>
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={type}
              checked={chosen.includes(type)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, type] : chosen.filter((one) => one !== type))
              }
            />
          ))}
          <div className="field-hint">None chosen: all, also those that are added later.</div>
        </fieldset>
        <ErrorNotice error={create.error} />
      </div>
    </Dialog>
  );
}
