import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { CreateAgentRequest } from '../../../../src/agents/schema.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { fieldProblems } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { type AgentDraft, type AgentProblems, draftOf, type FormPart, readAgent } from './agent-draft.ts';
import styles from './agents.module.css';
import { type Agent, agentChoices, promptChoices } from './queries.ts';
import { SamplingCard } from './sampling-card.tsx';
import { SkillsForm } from './skills-form.tsx';
import { ToolsForm } from './tools-form.tsx';

type Props = {
  agent?: Agent;
  error: unknown;
  isSaving: boolean;
  /** Saved, and about to leave. */
  isSaved?: boolean;
  action: string;
  onSave: (request: CreateAgentRequest) => void;
  children?: ReactNode;
};

/** The fields of the request, and the inputs that show them. */
const SERVER_FIELDS = {
  name: 'name',
  model: 'model',
  description: 'description',
  instructions: 'instructions',
  'completion_args.temperature': 'temperature',
  'completion_args.max_tokens': 'maxTokens',
  'completion_args.top_p': 'topP',
  'completion_args.stop': 'stop',
  'completion_args.response_format': 'schema',
} as const;

/** Each save creates a version. */
export function AgentForm({ agent, error, isSaving, isSaved = false, action, onSave, children }: Props) {
  const { draft, setDraft, isRestored, clear } = useDraft<AgentDraft>(
    agent ? `agent ${agent.id} ${agent.version}` : 'new agent',
    () => draftOf(agent),
  );
  // What was saved is no draft any more, also when the page moves on to the agent.
  useEffect(() => {
    if (isSaved) clear();
  }, [isSaved, clear]);
  const isServed = useServedModels();
  const [problems, setProblems] = useState<AgentProblems>({});
  const read = (next: AgentDraft) => {
    const { request, problems: found } = readAgent(next);
    if (isServed(next.model)) return { request, problems: found };
    return { request: undefined, problems: { ...found, model: 'This model is not served. Choose another.' } };
  };
  const set = (change: Partial<AgentDraft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    if (Object.keys(problems).length > 0) setProblems(read(next).problems);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { request, problems: found } = read(draft);
    setProblems(found);
    if (request) onSave(request);
  };
  // What the server says about a field stands beside it.
  const said = fieldProblems(error, SERVER_FIELDS);
  const part = { draft, problems: { ...said.byField, ...problems }, set };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className="stack">
        {isRestored && <RestoredNotice onDiscard={clear} />}
        <Card title="Identity">
          <div className="columns">
            <TextField
              label="Name"
              required
              maxLength={255}
              error={part.problems.name}
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <ModelField {...part} />
          </div>
          <TextField
            label="Description"
            error={part.problems.description}
            hint="Other agents use it to decide when to hand off."
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <TextAreaField
            label="Instructions"
            rows={12}
            error={part.problems.instructions}
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
          <ErrorNotice error={said.rest} />
          {Object.keys(problems).length > 0 && (
            <p className={fieldStyles.error} role="alert">
              Fix the marked fields.
            </p>
          )}
          <Button type="submit" look="primary" icon="check" busy={isSaving}>
            {action}
          </Button>
        </Card>
        {children}
        <SamplingCard {...part} />
        <Handoffs {...part} ownId={agent?.id} />
        <SkillsForm {...part} />
      </div>
    </form>
  );
}

/** Whether an agent can be saved with this model; everything can while the list is not known. */
function useServedModels(): (model: string) => boolean {
  const { data: models } = useQuery(chatModels);
  return (model) =>
    models === undefined || model === '' || model.startsWith('prompt:') || models.some(({ id }) => id === model);
}

/** Served models and prompts. A name that is no longer served stays, and says so. */
function ModelField({ draft, problems, set }: FormPart) {
  const { data: models = [], isPending } = useQuery(chatModels);
  const { data: prompts = [] } = useQuery(promptChoices);
  const options = [
    ...modelChoices(models),
    ...prompts.map(({ name }) => ({ value: `prompt:${name}`, label: name, group: 'Prompts' })),
  ];
  const isKnown = draft.model === '' || options.some(({ value }) => value === draft.model);
  const isPrompt = draft.model.startsWith('prompt:');
  return (
    <SelectField
      label="Model"
      error={problems.model}
      value={draft.model}
      onChange={(model: string) => set({ model })}
      options={[
        { value: '', label: isPending ? 'Loading models…' : 'Choose a model' },
        ...(isKnown ? [] : [{ value: draft.model, label: isPrompt ? draft.model : `${draft.model} (not served)` }]),
        ...options,
      ]}
    />
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
      <div className={styles.choices}>
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
