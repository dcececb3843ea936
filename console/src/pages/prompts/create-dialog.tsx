import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Prompt } from '../../../../src/prompts/schema.ts';
import { api } from '../../api/api.ts';
import { fieldProblems } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { definitionOf, prompts } from './registry.ts';

const EMPTY = { name: '', title: '', content: '', isShared: true };
const FIELDS = { name: 'name', title: 'title', 'definition.content': 'content' } as const;

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { draft, setDraft, isRestored, clear } = useDraft('new prompt', () => EMPTY);
  const { name, title, content, isShared } = draft;
  const set = (change: Partial<typeof EMPTY>) => setDraft({ ...draft, ...change });
  const create = useMutation({
    mutationFn: () =>
      api.post<Prompt>('/v2/prompts', {
        name,
        definition: definitionOf(content),
        ...(title.trim() === '' ? {} : { title }),
        sharingScope: isShared ? 'workspace' : 'private',
      }),
    onSuccess: async ({ id = '' }) => {
      clear();
      await client.invalidateQueries({ queryKey: [prompts.path] });
      await navigate({ to: '/prompts/$promptId', params: { promptId: id } });
    },
  });
  const said = fieldProblems(create.error, FIELDS);
  // Closing is a decision: what was typed is thrown away, after a question.
  const close = () => {
    clear();
    onClose();
  };
  return (
    <Dialog
      title="New prompt"
      wide
      onClose={close}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      {isRestored && <RestoredNotice onDiscard={clear} />}
      <TextField
        label="Name"
        required
        maxLength={128}
        hint="Used by applications. Letters, digits, dots, hyphens and underscores."
        error={said.byField.name}
        value={name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Title"
        hint="Display title. Optional."
        error={said.byField.title}
        value={title}
        onChange={(event) => set({ title: event.target.value })}
      />
      <TextAreaField
        label="Text"
        required
        rows={10}
        hint="Put variables in double braces, e.g. {{customer}}."
        error={said.byField.content}
        value={content}
        onChange={(event) => set({ content: event.target.value })}
      />
      <CheckField
        label="Share with the workspace"
        checked={isShared}
        onChange={(event) => set({ isShared: event.target.checked })}
      />
      <ErrorNotice error={said.rest} />
    </Dialog>
  );
}
