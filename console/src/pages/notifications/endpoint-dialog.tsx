import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CreatedNotificationEndpoint,
  NotificationEventType,
} from '../../../../src/notifications/schema/endpoints.ts';
import { eventTypes } from '../../../../src/notifications/schema/event-types.ts';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
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
    <EntityDialog
      title="New endpoint"
      action="Create endpoint"
      save={create}
      isIncomplete={url.trim() === ''}
      onSave={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        placeholder="https://example.com/hooks"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
      <fieldset className="stack-tight">
        <legend className={fieldStyles.label}>Events</legend>
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
        <div className={fieldStyles.hint}>None chosen: all, also those that are added later.</div>
      </fieldset>
    </EntityDialog>
  );
}
