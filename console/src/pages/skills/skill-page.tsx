import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreatedVersion } from '../../../../src/registry/schema.ts';
import type { SkillDefinition } from '../../../../src/skills/schema/skills.ts';
import { api } from '../../api/api.ts';
import { Aliases } from '../../registry/aliases.tsx';
import { EntryMenu } from '../../registry/entry-menu.tsx';
import { History } from '../../registry/history.tsx';
import { addressOf, entryQuery, versionsQuery } from '../../registry/queries.ts';
import { isShared } from '../../registry/registry-list.tsx';
import { describeUses } from '../../registry/uses.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useKeepDraft } from '../../ui/use-keep-draft.ts';
import { Compare } from './compare.tsx';
import { download } from './download.ts';
import { FilesTab } from './files-tab.tsx';
import { definitionOf, type Folder, isSameFolder } from './folder.ts';
import { folderQuery, type SkillVersion, skills } from './queries.ts';
import { SkillEditor } from './skill-editor.tsx';
import styles from './skills.module.css';
import { zipFolder } from './zip-folder.ts';

const route = getRouteApi('/shell/skills/$skillId');
const TABS = [
  { value: 'files', label: 'Files' },
  { value: 'history', label: 'History' },
  { value: 'aliases', label: 'Aliases' },
] as const;
const FIELDS = 'id,name,sharingScope,latestVersion,definition.description';

export function SkillPage() {
  const { skillId } = route.useParams();
  const client = useQueryClient();
  const toast = useToast();
  const [tab, setTab] = useState<(typeof TABS)[number]['value']>('files');
  const [shown, setShown] = useState<number>();
  const [editing, setEditing] = useState<Folder>();
  const skill = useQuery(entryQuery<SkillDefinition>(skills, skillId, FIELDS));
  const versions = useQuery(versionsQuery<SkillDefinition>(skills, skillId));
  const name = skill.data?.name ?? '';
  const shared = skill.data !== undefined && isShared(skill.data);
  const version = shown ?? versions.data?.[0]?.version ?? 1;
  const save = async () => {
    try {
      download(`${name}.zip`, zipFolder(name, await client.fetchQuery(folderQuery(skillId, version))));
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <Page
      title={name || 'Skill'}
      crumbs={<Link to="/skills">Skills</Link>}
      lead={
        skill.data && (
          <span className="row">
            <Badge tone={shared ? 'accent' : 'neutral'}>{shared ? 'shared with workspace' : 'private'}</Badge>
            <span className={`breakable ${styles.lead}`}>{skill.data.definition?.description}</span>
          </span>
        )
      }
      actions={
        skill.data && (
          <EntryMenu
            registry={skills}
            id={skillId}
            name={name}
            isShared={shared}
            items={[{ label: `Download version ${version}`, onSelect: () => void save() }]}
          />
        )
      }
    >
      <Loaded query={versions}>
        {(list) =>
          editing ? (
            <VersionEditor
              id={skillId}
              original={editing}
              onDone={(isSaved) => {
                setEditing(undefined);
                if (isSaved) setShown(undefined);
              }}
            />
          ) : (
            <Tabs label="Skill sections" tabs={TABS} value={tab} onChange={setTab}>
              {tab === 'files' && (
                <FilesTab
                  id={skillId}
                  name={name}
                  versions={list}
                  version={version}
                  onShow={setShown}
                  onEdit={setEditing}
                />
              )}
              {tab === 'history' && (
                <History
                  versions={list}
                  onShow={(chosen) => {
                    setShown(chosen);
                    setTab('files');
                  }}
                  compare={(before: SkillVersion, after: SkillVersion) => (
                    <Compare id={skillId} before={before.version ?? 1} after={after.version ?? 1} />
                  )}
                />
              )}
              {tab === 'aliases' && (
                <Aliases
                  registry={skills}
                  id={skillId}
                  versions={list}
                  usedBy={(alias) => describeUses(skills, skillId, alias)}
                />
              )}
            </Tabs>
          )
        }
      </Loaded>
    </Page>
  );
}

type EditorProps = { id: string; original: Folder; onDone: (isSaved: boolean) => void };

function VersionEditor({ id, original, onDone }: EditorProps) {
  const client = useQueryClient();
  const toast = useToast();
  const [folder, setFolder] = useState(original);
  const [notes, setNotes] = useState('');
  const isChanged = !isSameFolder(original, folder);
  const askToLeave = useKeepDraft(isChanged, 'skill');
  const save = useMutation({
    mutationFn: () =>
      api.post<CreatedVersion>(`${addressOf(skills, id)}/versions`, {
        definition: definitionOf(folder),
        ...(notes.trim() === '' ? {} : { notes }),
      }),
    onSuccess: async ({ version, deduplicated }) => {
      await client.invalidateQueries({ queryKey: [skills.path] });
      toast.success(deduplicated ? `Version ${version} already has these files.` : `Saved as version ${version}.`);
      onDone(true);
    },
  });
  return (
    <SkillEditor
      title="New version"
      original={original}
      folder={folder}
      onFolder={setFolder}
      error={save.error}
      onSubmit={() => save.mutate()}
      fields={
        <TextField
          label="Notes"
          hint="What changed in this version."
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
        />
      }
      buttons={
        <>
          <Button onClick={async () => (await askToLeave()) && onDone(false)}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={!isChanged}>
            Save as new version
          </Button>
        </>
      }
    />
  );
}
