import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { triggersPath, webhooksKey } from './queries.ts';

const ACTIONS = [
  { value: 'start_workflow', label: 'A workflow' },
  { value: 'start_agent_session', label: 'An agent' },
] as const;
type Action = (typeof ACTIONS)[number]['value'];

export function TriggerDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState<Action>('start_workflow');
  const [target, setTarget] = useState('');
  const [filters, setFilters] = useState('');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      api.post(triggersPath, {
        event_source_id: webhookId,
        handler: type === 'start_workflow' ? 'workflows' : 'agents',
        action: { type, primitive_id: target.trim() },
        owner_type: 'workspace',
        title: title.trim(),
        filters: filters.trim() || null,
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: webhooksKey });
      onClose();
    },
  });
  return (
    <EntityDialog
      title="New trigger"
      action="Create trigger"
      save={create}
      isIncomplete={title.trim() === '' || target.trim() === ''}
      onSave={() => create.mutate()}
      onClose={onClose}
    >
      <TextField label="Title" value={title} onChange={(event) => setTitle(event.target.value)} />
      <SelectField label="Starts" value={type} options={ACTIONS} onChange={setType} />
      <TextField
        label={type === 'start_workflow' ? 'Name or id of the workflow' : 'Id of the agent'}
        value={target}
        onChange={(event) => setTarget(event.target.value)}
      />
      <TextField
        label="Filter"
        placeholder="event_type == 'push' && repository.name == 'dashboard'"
        hint="A JMESPath expression over the delivery. Empty: every delivery."
        value={filters}
        onChange={(event) => setFilters(event.target.value)}
      />
    </EntityDialog>
  );
}
