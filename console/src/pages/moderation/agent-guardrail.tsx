import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../../../src/agents/schema.ts';
import type { GuardrailConfig } from '../../../../src/guardrails/schema/guardrails.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Thresholds, thresholdsOf } from './guardrail.ts';

const CHOICES = 100;
const agents = {
  queryKey: ['agents', 'choices'],
  queryFn: () => api.get<Agent[]>('/v1/agents', { query: { page_size: CHOICES } }),
};

/** Puts the thresholds before an agent, as a new version of it. */
export function AgentGuardrail({
  guardrail,
  onLoad,
}: {
  guardrail: GuardrailConfig;
  onLoad: (thresholds: Thresholds) => void;
}) {
  const list = useQuery(agents);
  const [id, setId] = useState('');
  const client = useQueryClient();
  const toast = useToast();
  const agent = list.data?.find((one) => one.id === id);
  const current = thresholdsOf(agent?.guardrails);
  const save = useMutation({
    mutationFn: (guardrails: GuardrailConfig[]) =>
      api.patch<Agent>(`/v1/agents/${encodeURIComponent(id)}`, {
        guardrails,
        version_message: guardrails.length > 0 ? 'Set moderation thresholds' : 'Remove moderation',
      }),
    async onSuccess({ name, version }) {
      await client.invalidateQueries({ queryKey: ['agents'] });
      toast.success(`${name} has them in version ${version}.`);
    },
  });
  return (
    <Card title="Use in an agent">
      <div className="stack">
        <PickField
          label="Agent"
          unchosen="Choose an agent"
          choices={list.data?.map(({ id: value, name }) => ({ value, label: name }))}
          hint={agent && (current ? 'It has thresholds of its own.' : 'It has no thresholds yet.')}
          value={id}
          onChange={setId}
        />
        <div className="row">
          <Button look="primary" disabled={!agent} busy={save.isPending} onClick={() => save.mutate([guardrail])}>
            Save to the agent
          </Button>
          {current && <Button onClick={() => onLoad(current)}>Show its thresholds</Button>}
          {current && <Button onClick={() => save.mutate([])}>Remove from the agent</Button>}
        </div>
        <ErrorNotice error={save.error} />
      </div>
    </Card>
  );
}
