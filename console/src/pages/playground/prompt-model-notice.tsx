import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { promptModel } from './queries.ts';

/** Shows the model of a prompt, or asks for one. */
export function PromptModelNotice({ name }: { name: string }) {
  const client = useQueryClient();
  const { data: models = [] } = useQuery(chatModels);
  const { data } = useQuery(promptModel(name));
  const [model, setModel] = useState('');
  const save = useMutation({
    mutationFn: () => api.put(`/v2/prompts/${encodeURIComponent(name)}/model`, { model }),
    onSuccess: () => client.invalidateQueries({ queryKey: promptModel(name).queryKey }),
  });
  if (name === '' || data === undefined) return null;
  if (data.model !== null) return <p className="small muted breakable">Uses model {data.model}.</p>;
  return (
    <Notice tone="warning">
      <div className="stack-tight">
        <p>This prompt has no model yet. Choose one to run it.</p>
        <SelectField
          label="Model for this prompt"
          hideLabel
          value={model}
          onChange={setModel}
          options={[{ value: '', label: 'Choose a model' }, ...modelChoices(models)]}
        />
        <ErrorNotice error={save.error} />
        <Button small busy={save.isPending} disabled={model === ''} onClick={() => save.mutate()}>
          Use this model
        </Button>
      </div>
    </Notice>
  );
}
