import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Skill } from '../../../../src/skills/schema/skills.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { useKeepDraft } from '../../ui/use-keep-draft.ts';
import { definitionOf, emptyFolder, isSameFolder } from './folder.ts';
import { skills } from './queries.ts';
import { SkillEditor } from './skill-editor.tsx';

export function CreatePage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(true);
  const [folder, setFolder] = useState(emptyFolder);
  const create = useMutation({
    mutationFn: () =>
      api.post<Skill>('/v2/skills', {
        name,
        definition: definitionOf(folder),
        sharingScope: isShared ? 'workspace' : 'private',
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [skills.path] }),
  });
  useKeepDraft(!create.isSuccess && (name !== '' || !isSameFolder(emptyFolder, folder)), 'skill');
  // Navigates after the render in which the draft no longer blocks leaving.
  const made = create.data?.id;
  useEffect(() => {
    if (made) void navigate({ to: '/skills/$skillId', params: { skillId: made } });
  }, [made, navigate]);
  return (
    <Page title="New skill" crumbs={<Link to="/skills">Skills</Link>}>
      <SkillEditor
        title="Files"
        original={emptyFolder}
        folder={folder}
        onFolder={setFolder}
        error={create.error}
        onSubmit={() => create.mutate()}
        head={
          <TextField
            label="Name"
            required
            maxLength={64}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title="Lowercase letters, digits and single hyphens"
            hint="Used by agents and applications. Lowercase letters, digits and single hyphens."
            placeholder="release-notes"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        }
        fields={
          <CheckField
            label="Share with the workspace"
            checked={isShared}
            onChange={(event) => setShared(event.target.checked)}
          />
        }
        buttons={
          <Button type="submit" look="primary" busy={create.isPending}>
            Create
          </Button>
        }
      />
    </Page>
  );
}
