import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { CreateAgentRequest } from '../../../../src/agents/schema.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, Field, TextAreaField, TextField } from '../../ui/field.tsx';
import { type AgentDraft, type AgentProblems, draftOf, type FormPart, readAgent } from './agent-draft.ts';
import { type Agent, agentChoices } from './queries.ts';
import { ToolsForm } from './tools-form.tsx';

type Props = {
  agent?: Agent;
  error: unknown;
  isSaving: boolean;
  action: string;
  onSave: (request: CreateAgentRequest) => void;
  children?: ReactNode;
};

/** Each save creates a version. */
export function AgentForm({ agent, error, isSaving, action, onSave, children }: Props) {
  const [draft, setDraft] = useState<AgentDraft>(() => draftOf(agent));
  const [problems, setProblems] = useState<AgentProblems>({});
  const set = (change: Partial<AgentDraft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    if (Object.keys(problems).length > 0) setProblems(readAgent(next).problems);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { request, problems: found } = readAgent(draft);
    setProblems(found);
    if (request) onSave(request);
  };
  const part = { draft, problems, set };
  return (
    <form className="agent-form" onSubmit={submit} noValidate>
      <div className="stack">
        <Card title="Identity">
          <div className="columns">
            <TextField
              label="Name"
              required
              maxLength={255}
              error={problems.name}
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <ModelField {...part} />
          </div>
          <TextField
            label="Description"
            hint="Other agents use it to decide when to hand off."
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <TextAreaField
            label="Instructions"
            rows={12}
            hint="Sent to the model before each turn."
            value={draft.instructions}
            onChange={(event) => set({ instructions: event.target.value })}
          />
        </Card>
        <ToolsForm {...part} />
      </div>
      <div className="stack">
        <Card title={action}>
          <TextField
            label="Version notes"
            hint="Shown in the version list. Optional."
            maxLength={500}
            value={draft.note}
            onChange={(event) => set({ note: event.target.value })}
          />
          <ErrorNotice error={error} />
          {Object.keys(problems).length > 0 && (
            <p className="field-error" role="alert">
              Fix the marked fields.
            </p>
          )}
          <Button type="submit" look="primary" icon="check" busy={isSaving}>
            {action}
          </Button>
        </Card>
        {children}
        <Card title="Sampling">
          <TextField
            label="Temperature"
            inputMode="decimal"
            placeholder="Model default"
            hint="0 to 1. Higher values are less predictable."
            error={problems.temperature}
            value={draft.temperature}
            onChange={(event) => set({ temperature: event.target.value })}
          />
          <TextField
            label="Max tokens"
            inputMode="numeric"
            placeholder="Model default"
            hint="Limit for each response."
            error={problems.maxTokens}
            value={draft.maxTokens}
            onChange={(event) => set({ maxTokens: event.target.value })}
          />
        </Card>
        <Handoffs {...part} ownId={agent?.id} />
        <Card title="Skills">
          <TextField
            label="Skills from the registry"
            placeholder="tides, harbour@production"
            hint="Comma-separated names, each with an optional version or alias: name@production."
            value={draft.skills}
            onChange={(event) => set({ skills: event.target.value })}
          />
        </Card>
      </div>
    </form>
  );
}

/** Suggests the served models; any name is accepted. */
function ModelField({ draft, problems, set }: FormPart) {
  const models = useQuery(chatModels);
  const listId = useId();
  return (
    <Field label="Model" error={problems.model}>
      {(control) => (
        <>
          <input
            {...control}
            className="input"
            required
            list={listId}
            autoComplete="off"
            placeholder={models.data?.[0]?.id ?? ''}
            value={draft.model}
            onChange={(event) => set({ model: event.target.value })}
          />
          <datalist id={listId}>
            {modelChoices(models.data ?? []).map(({ value, label }) => (
              <option key={value} value={value} label={label} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function Handoffs({ draft, set, ownId }: FormPart & { ownId: string | undefined }) {
  const agents = useQuery(agentChoices);
  const others = (agents.data ?? []).filter(({ id }) => id !== ownId);
  const unlisted = draft.handoffs.filter((id) => !others.some((agent) => agent.id === id));
  if (others.length === 0 && unlisted.length === 0) return null;
  const toggle = (id: string, isOn: boolean) =>
    set({ handoffs: isOn ? [...draft.handoffs, id] : draft.handoffs.filter((one) => one !== id) });
  return (
    <Card title="Handoffs">
      <div className="agent-choices">
        {[...others, ...unlisted.map((id) => ({ id, name: id, description: 'Deleted agent' }))].map(
          ({ id, name, description }) => (
            <CheckField
              key={id}
              label={name}
              hint={description}
              checked={draft.handoffs.includes(id)}
              onChange={(event) => toggle(id, event.target.checked)}
            />
          ),
        )}
      </div>
    </Card>
  );
}
