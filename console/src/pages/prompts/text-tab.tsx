import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedVersion } from '../../../../src/registry/schema.ts';
import { api } from '../../api/api.ts';
import { VersionSelect } from '../../registry/history.tsx';
import { piecesOf, variablesOf } from '../../registry/placeholders.ts';
import registryStyles from '../../registry/registry.module.css';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { definitionOf, type PromptVersion, prompts } from './registry.ts';

/** What is being written; null while nothing is edited. */
type Kept = { content: string | null; notes: string };
const NOTHING: Kept = { content: null, notes: '' };

type Props = {
  id: string;
  versions: readonly PromptVersion[];
  shown: number | undefined;
  onShow: (version: number | undefined) => void;
};

/** Shows and edits one version beside its rendered preview. */
export function TextTab({ id, versions, shown, onShow }: Props) {
  const version = versions.find((one) => one.version === shown) ?? versions[0];
  const content = version?.definition?.content ?? '';
  const { draft: kept, setDraft: keep, isRestored, clear } = useDraft<Kept>(`prompt ${id}`, () => NOTHING);
  const draft = kept.content ?? undefined;
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
              <Button icon="edit" onClick={() => keep({ content, notes: '' })}>
                Edit
              </Button>
            </>
          )
        }
      >
        {draft === undefined ? (
          <div className={registryStyles.text}>{content}</div>
        ) : (
          <>
            {isRestored && <RestoredNotice onDiscard={clear} />}
            <Editor
              id={id}
              draft={draft}
              notes={kept.notes}
              isChanged={draft !== content}
              onDraft={(text) => keep({ ...kept, content: text })}
              onNotes={(notes) => keep({ ...kept, notes })}
              onEnd={clear}
              onSaved={() => onShow(undefined)}
            />
          </>
        )}
        {draft === undefined && version?.notes && <p className="muted breakable">{version.notes}</p>}
      </Card>
      <Card title="Preview">
        {variablesOf(text).map((name) => (
          <TextField
            key={name}
            label={<code>{name}</code>}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
        <div className={registryStyles.text}>
          {piecesOf(text, values).map(({ text: piece, variable }, at) =>
            variable === undefined ? (
              piece
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a variable may occur several times.
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
  notes: string;
  isChanged: boolean;
  onDraft: (draft: string) => void;
  onNotes: (notes: string) => void;
  /** Saved or cancelled. */
  onEnd: () => void;
  onSaved: () => void;
};

function Editor({ id, draft, notes, isChanged, onDraft, onNotes, onEnd, onSaved }: EditorProps) {
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: () =>
      api.post<CreatedVersion>(`/v2/prompts/${encodeURIComponent(id)}/versions`, {
        definition: definitionOf(draft),
        ...(notes.trim() === '' ? {} : { notes }),
      }),
    onSuccess: async ({ version, deduplicated }) => {
      await client.invalidateQueries({ queryKey: [prompts.path] });
      toast.success(deduplicated ? `Version ${version} already has this text.` : `Saved as version ${version}.`);
      onEnd();
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
        label="New version"
        rows={14}
        required
        hint="Put variables in double braces, e.g. {{customer}}."
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
      />
      <TextField
        label="Notes"
        hint="What changed in this version."
        value={notes}
        onChange={(event) => onNotes(event.target.value)}
      />
      <ErrorNotice error={save.error} />
      <div className="row row-end">
        <Button onClick={onEnd}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={!isChanged}>
          Save as new version
        </Button>
      </div>
    </form>
  );
}
