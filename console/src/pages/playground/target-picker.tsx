import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PromptModelNotice } from './prompt-model-notice.tsx';
import { agents, prompts, promptVersions } from './queries.ts';
import type { Target } from './setup.ts';

type Props = { label: string; target: Target; problem: string | undefined; onChange: (target: Target) => void };

const KINDS = [
  { value: 'model', label: 'Model' },
  { value: 'prompt', label: 'Prompt' },
  { value: 'agent', label: 'Agent' },
] as const;

/** Chooses a model, a prompt at an alias or version, or an agent. */
export function TargetPicker({ label, target, problem, onChange }: Props) {
  const start = { model: { kind: 'model', id: '' }, prompt: { kind: 'prompt', name: '', at: '' } } as const;
  return (
    <div className="stack-tight">
      <Segments
        full
        label={label}
        options={KINDS}
        value={target.kind}
        onChange={(kind) => onChange(kind === 'agent' ? { kind, id: '' } : start[kind])}
      />
      {target.kind === 'model' && <ModelChoice id={target.id} problem={problem} onChange={onChange} />}
      {target.kind === 'prompt' && <PromptChoice target={target} problem={problem} onChange={onChange} />}
      {target.kind === 'agent' && <AgentChoice id={target.id} problem={problem} onChange={onChange} />}
    </div>
  );
}

type ChoiceProps = { id: string; problem: string | undefined; onChange: (target: Target) => void };

function ModelChoice({ id, problem, onChange }: ChoiceProps) {
  const { data = [], isPending } = useQuery(chatModels);
  const options = modelChoices(data);
  // A linked name is valid although the list does not contain it.
  if (id !== '' && !data.some((model) => model.id === id)) options.unshift({ value: id, label: id });
  return (
    <SelectField
      label="Model"
      error={problem}
      value={id}
      onChange={(chosen) => onChange({ kind: 'model', id: chosen })}
      options={[{ value: '', label: isPending ? 'Loading models…' : 'Choose a model' }, ...options]}
    />
  );
}

function AgentChoice({ id, problem, onChange }: ChoiceProps) {
  const { data = [], isPending } = useQuery(agents);
  return (
    <SelectField
      label="Agent"
      error={problem}
      hint="Uses the agent's instructions, tools and sampling."
      value={id}
      onChange={(chosen) => onChange({ kind: 'agent', id: chosen })}
      options={[
        { value: '', label: isPending ? 'Loading agents…' : 'Choose an agent' },
        ...data.map((agent) => ({ value: agent.id, label: agent.name })),
      ]}
    />
  );
}

function PromptChoice({
  target,
  problem,
  onChange,
}: Omit<ChoiceProps, 'id'> & { target: Extract<Target, { kind: 'prompt' }> }) {
  const list = useId();
  const { data = [] } = useQuery(prompts);
  const known = data.some(({ name }) => name === target.name) ? target.name : '';
  const { data: versions = [] } = useQuery(promptVersions(known));
  const aliases = versions.flatMap(({ aliases: given = [], version }) =>
    given.map((alias) => ({ value: alias, label: `${alias} (version ${version})` })),
  );
  return (
    <>
      <TextField
        label="Prompt"
        list={list}
        placeholder="Type or choose a name"
        error={problem}
        value={target.name}
        onChange={(event) => onChange({ kind: 'prompt', name: event.target.value, at: '' })}
      />
      <datalist id={list}>
        {data.map(({ id, name, title }) => (
          <option key={id} value={name}>
            {title}
          </option>
        ))}
      </datalist>
      <SelectField
        label="Version"
        value={target.at}
        onChange={(at) => onChange({ ...target, at })}
        options={[
          { value: '', label: 'Latest' },
          ...aliases,
          ...versions.map(({ version, notes }) => ({
            value: `#${version}`,
            label: `Version ${version}${notes ? `: ${notes}` : ''}`,
          })),
        ]}
      />
      <PromptModelNotice name={known} />
    </>
  );
}
