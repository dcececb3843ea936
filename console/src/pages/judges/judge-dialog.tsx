import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { draftOf, type JudgeDraft, type JudgeProblems, readJudge } from './judge-draft.ts';
import { type Judge, judgePath, judgesKey, judgesPath } from './queries.ts';

const TYPES = [
  { value: 'CLASSIFICATION', label: 'One of several answers' },
  { value: 'REGRESSION', label: 'A number' },
] as const;

export function JudgeDialog({ judge, onClose }: { judge?: Judge | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState<JudgeDraft>(() => draftOf(judge));
  const [problems, setProblems] = useState<JudgeProblems>({});
  const { data: models = [] } = useQuery(chatModels);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (request: object) => {
      const body = { ...request, tools: judge?.tools ?? [] };
      return judge ? api.put(judgePath(judge.id), body) : api.post(judgesPath, body);
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: judgesKey });
      onClose();
    },
  });
  const text = (field: Exclude<keyof JudgeDraft, 'type'>) => ({
    value: draft[field],
    error: problems[field],
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [field]: target.value }),
  });
  const submit = () => {
    const { request, problems: found } = readJudge(draft);
    setProblems(found);
    if (request) save.mutate(request);
  };
  const isServed = draft.model === '' || models.some(({ id }) => id === draft.model);
  return (
    <EntityDialog
      title={judge ? `Edit ${judge.name}` : 'New judge'}
      wide
      action={judge ? 'Save' : 'Create judge'}
      save={save}
      onSave={submit}
      onClose={onClose}
    >
      <div className="columns">
        <TextField label="Name" {...text('name')} />
        <SelectField
          label="Model"
          fills="model_name"
          error={problems.model}
          value={draft.model}
          options={[
            { value: '', label: 'Choose a model' },
            ...(isServed ? [] : [{ value: draft.model, label: `${draft.model} (not served)` }]),
            ...modelChoices(models),
          ]}
          onChange={(model: string) => setDraft({ ...draft, model })}
        />
      </div>
      <TextField label="Description" {...text('description')} />
      <TextAreaField
        label="Instructions"
        rows={5}
        placeholder="Is the answer right, complete and polite?"
        hint="What to look at in a conversation. What is judged is marked as data and cannot instruct the judge."
        {...text('instructions')}
      />
      <SelectField
        label="It answers with"
        fills="output.type"
        value={draft.type}
        options={TYPES}
        onChange={(type) => setDraft({ ...draft, type })}
      />
      {draft.type === 'CLASSIFICATION' ? (
        <TextAreaField
          label="Answers"
          fills="output.options"
          rows={4}
          hint="One a line, as value: what it means."
          {...text('options')}
        />
      ) : (
        <div className="columns">
          <TextField label="Least" fills="output.min" inputMode="decimal" {...text('min')} />
          <TextField label="Least means" fills="output.min_description" {...text('minMeaning')} />
          <TextField label="Most" fills="output.max" inputMode="decimal" {...text('max')} />
          <TextField label="Most means" fills="output.max_description" {...text('maxMeaning')} />
        </div>
      )}
    </EntityDialog>
  );
}
