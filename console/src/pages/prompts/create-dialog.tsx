import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Prompt } from '../../../../src/prompts/schema.ts';
import { ApiError, api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx';
import { definitionOf, prompts } from './registry.ts';

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const [isShared, setShared] = useState(true);
  const create = useMutation({
    mutationFn: () =>
      api.post<Prompt>('/v2/prompts', {
        name,
        definition: definitionOf(content),
        ...(title.trim() === '' ? {} : { title }),
        sharingScope: isShared ? 'workspace' : 'private',
      }),
    onSuccess: async ({ id = '' }) => {
      await client.invalidateQueries({ queryKey: [prompts.path] });
      await navigate({ to: '/prompts/$promptId', params: { promptId: id } });
    },
  });
  const problemOf = (field: string) => (create.error instanceof ApiError ? create.error.problemOf(field) : undefined);
  return (
    <Dialog
      title="New prompt"
      wide
      onClose={onClose}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        required
        maxLength={128}
        hint="Used by applications. Letters, digits, dots, hyphens and underscores."
        error={problemOf('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Title"
        hint="Display title. Optional."
        error={problemOf('title')}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextAreaField
        label="Text"
        required
        rows={10}
        hint="Put variables in double braces, e.g. {{customer}}."
        error={problemOf('definition.content')}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      <CheckField
        label="Share with the workspace"
        checked={isShared}
        onChange={(event) => setShared(event.target.checked)}
      />
      <ErrorNotice error={create.error} />
    </Dialog>
  );
}
