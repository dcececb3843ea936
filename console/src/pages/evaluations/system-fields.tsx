import { useQuery } from '@tanstack/react-query';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { versionsQuery } from '../../registry/queries.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { agentChoicesQuery, promptChoicesQuery, prompts } from './queries.ts';
import { KINDS, type RunDraft, type RunProblems } from './run-draft.ts';

type Props = { draft: RunDraft; problems: RunProblems; onChange: (part: Partial<RunDraft>) => void };

/** What answers the records. */
export function SystemFields({ draft, problems, onChange }: Props) {
  return (
    <>
      <div className="row">
        <Segments label="Answered by" options={KINDS} value={draft.kind} onChange={(kind) => onChange({ kind })} />
      </div>
      <div className="columns">
        {draft.kind === 'model' && <ModelField draft={draft} problems={problems} onChange={onChange} />}
        {draft.kind === 'prompt' && <PromptFields draft={draft} problems={problems} onChange={onChange} />}
        {draft.kind === 'agent' && <AgentField draft={draft} problems={problems} onChange={onChange} />}
        {draft.kind === 'recorded' ? (
          <p className="muted">The answers that the records hold are scored; no model is asked for new ones.</p>
        ) : (
          <TextField
            label="Answers to each record"
            inputMode="numeric"
            error={problems.answers}
            value={draft.answers}
            onChange={(event) => onChange({ answers: event.target.value })}
          />
        )}
      </div>
    </>
  );
}

function ModelField({ draft, problems, onChange }: Props) {
  const { data: models = [] } = useQuery(chatModels);
  return (
    <SelectField
      label="Model"
      error={problems.model}
      value={draft.model}
      options={[{ value: '', label: 'Choose a model' }, ...modelChoices(models)]}
      onChange={(model: string) => onChange({ model })}
    />
  );
}

function PromptFields({ draft, problems, onChange }: Props) {
  const { data: choices = [] } = useQuery(promptChoicesQuery);
  const { data: versions = [] } = useQuery({
    ...versionsQuery(prompts, draft.prompt),
    enabled: draft.prompt !== '',
  });
  return (
    <>
      <SelectField
        label="Prompt"
        error={problems.prompt}
        hint="Its model answers."
        value={draft.prompt}
        options={[
          { value: '', label: 'Choose a prompt' },
          ...choices.map(({ id, name, title }) => ({ value: id, label: title || name })),
        ]}
        onChange={(prompt: string) => onChange({ prompt, version: '' })}
      />
      <SelectField
        label="Version"
        value={draft.version}
        options={[
          { value: '', label: 'Newest' },
          ...versions.map(({ version, aliases = [] }) => ({
            value: String(version),
            label: `Version ${version}${aliases.length > 0 ? ` (${aliases.join(', ')})` : ''}`,
          })),
        ]}
        onChange={(version: string) => onChange({ version })}
      />
    </>
  );
}

function AgentField({ draft, problems, onChange }: Props) {
  const { data: agents = [] } = useQuery(agentChoicesQuery);
  return (
    <SelectField
      label="Agent"
      error={problems.agent}
      value={draft.agent}
      options={[{ value: '', label: 'Choose an agent' }, ...agents.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(agent: string) => onChange({ agent })}
    />
  );
}
