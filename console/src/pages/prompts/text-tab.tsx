import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatePromptVersionResponse } from '../../../../src/prompts/schema.ts';
import { api } from '../../api/api.ts';
import { VersionSelect } from '../../registry/history.tsx';
import { piecesOf, variablesOf } from '../../registry/placeholders.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { definitionOf, type PromptVersion, prompts } from './registry.ts';

type Props = {
  id: string;
  versions: readonly PromptVersion[];
  shown: number | undefined;
  onShow: (version: number | undefined) => void;
};

/** One version to read and to edit, and beside it the text as a model reads it. */
export function TextTab({ id, versions, shown, onShow }: Props) {
  const version = versions.find((one) => one.version === shown) ?? versions[0];
  const content = version?.definition?.content ?? '';
  const [draft, setDraft] = useState<string>();
  const [values, setValues] = useState<Record<string, string>>({});
  const text = draft ?? content;
  return (
    <div className="columns">
      <Card
        title="Text"
        actions={
          draft === undefined && (
            <>
              <VersionSelect
                label="Version"
                hideLabel
                versions={versions}
                value={version?.version ?? 1}
                onChange={(chosen) => onShow(chosen)}
              />
              <Button icon="edit" onClick={() => setDraft(content)}>
                Edit
              </Button>
            </>
          )
        }
      >
        {draft === undefined ? (
          <div className="registry-text">{content}</div>
        ) : (
          <Editor
            id={id}
            draft={draft}
            isChanged={draft !== content}
            onDraft={setDraft}
            onSaved={() => onShow(undefined)}
          />
        )}
        {draft === undefined && version?.notes && <p className="muted breakable">{version.notes}</p>}
      </Card>
      <Card title="As the model reads it">
        {variablesOf(text).map((name) => (
          <TextField
            key={name}
            label={<code>{name}</code>}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
        <div className="registry-text">
          {piecesOf(text, values).map(({ text: piece, variable }, at) =>
            variable === undefined ? (
              piece
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a variable may stand in several places.
              <mark key={at}>{piece}</mark>
            ),
          )}
        </div>
      </Card>
    </div>
  );
}

type EditorProps = {
  id: string;
  draft: string;
  isChanged: boolean;
  onDraft: (draft: string | undefined) => void;
  onSaved: () => void;
};

function Editor({ id, draft, isChanged, onDraft, onSaved }: EditorProps) {
  const client = useQueryClient();
  const toast = useToast();
  const [notes, setNotes] = useState('');
  const save = useMutation({
    mutationFn: () =>
      api.post<CreatePromptVersionResponse>(`/v2/prompts/${encodeURIComponent(id)}/versions`, {
        definition: definitionOf(draft),
        ...(notes.trim() === '' ? {} : { notes }),
      }),
    onSuccess: async ({ version, deduplicated }) => {
      await client.invalidateQueries({ queryKey: [prompts.path] });
      toast.success(deduplicated ? `Version ${version} has this text already.` : `Saved as version ${version}.`);
      onDraft(undefined);
      onSaved();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextAreaField
        label="Text of the new version"
        rows={14}
        required
        hint="A name in double braces, as {{customer}}, is a variable."
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
      />
      <TextField
        label="Notes"
        hint="What is different, for those who read the history."
        value={notes}
        onChange={(event) => setNotes(event.target.value)}
      />
      <ErrorNotice error={save.error} />
      <div className="row row-end">
        <Button onClick={() => onDraft(undefined)}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={!isChanged}>
          Save as a new version
        </Button>
      </div>
    </form>
  );
}
