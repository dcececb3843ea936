import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PromptDefinition } from '../../../../src/prompts/schema.ts';
import { api } from '../../api/api.ts';
import { Aliases } from '../../registry/aliases.tsx';
import { History } from '../../registry/history.tsx';
import { entryQuery, versionsQuery } from '../../registry/queries.ts';
import { isShared } from '../../registry/registry-list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToast } from '../../ui/toast.tsx';
import { prompts } from './registry.ts';
import { TextTab } from './text-tab.tsx';
import { describeUses } from './uses.tsx';

const route = getRouteApi('/shell/prompts/$promptId');
const TABS = [
  { value: 'text', label: 'Text' },
  { value: 'history', label: 'History' },
  { value: 'aliases', label: 'Aliases' },
] as const;

export function PromptPage() {
  const { promptId } = route.useParams();
  const [tab, setTab] = useState<(typeof TABS)[number]['value']>('text');
  const [shown, setShown] = useState<number>();
  const prompt = useQuery(entryQuery<PromptDefinition>(prompts, promptId));
  const versions = useQuery(versionsQuery<PromptDefinition>(prompts, promptId));
  const name = prompt.data?.name ?? '';
  const target = { kind: 'prompt', name, at: shown === undefined ? '' : `#${shown}` } as const;
  const shared = prompt.data && isShared(prompt.data);
  return (
    <Page
      title={prompt.data?.title || name || 'Prompt'}
      crumbs={<Link to="/prompts">Prompts</Link>}
      lead={
        prompt.data && (
          <span className="row">
            {prompt.data.title && <code className="breakable">{name}</code>}
            <Badge tone={shared ? 'accent' : 'neutral'}>{shared ? 'seen by the workspace' : 'seen by you'}</Badge>
          </span>
        )
      }
      actions={
        prompt.data && (
          <>
            <Link to="/playground" search={{ target }} className={buttonClass({ look: 'default' })}>
              Try it
            </Link>
            <PromptMenu id={promptId} name={name} isShared={shared === true} />
          </>
        )
      }
    >
      <Loaded query={versions}>
        {(list) => (
          <Tabs label="Parts of the prompt" tabs={TABS} value={tab} onChange={setTab}>
            {tab === 'text' && <TextTab key={shown} id={promptId} versions={list} shown={shown} onShow={setShown} />}
            {tab === 'history' && (
              <History
                versions={list}
                onShow={(version) => {
                  setShown(version);
                  setTab('text');
                }}
                compare={(before, after) => (
                  <Diff before={before.definition?.content ?? ''} after={after.definition?.content ?? ''} />
                )}
              />
            )}
            {tab === 'aliases' && (
              <Aliases
                registry={prompts}
                id={promptId}
                versions={list}
                usedBy={(alias) => describeUses(promptId, alias)}
              />
            )}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}

function PromptMenu({ id, name, isShared }: { id: string; name: string; isShared: boolean }) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const toast = useToast();
  const path = `/v2/prompts/${encodeURIComponent(id)}`;
  const share = useMutation({
    mutationFn: () => api.patch(path, { sharingScope: isShared ? 'private' : 'workspace' }),
    onSuccess: () => client.invalidateQueries({ queryKey: [prompts.path] }),
    onError: toast.error,
  });
  const remove = useMutation({
    mutationFn: () => api.delete(path),
    onSuccess: async () => {
      await navigate({ to: '/prompts' });
      client.removeQueries({ queryKey: [prompts.path, 'one', id] });
      await client.invalidateQueries({ queryKey: [prompts.path] });
      toast.success(`The prompt ${name} is deleted.`);
    },
    onError: toast.error,
  });
  const askToRemove = async () => {
    try {
      const body = await describeUses(id, undefined);
      if (await confirm({ title: `Delete ${name} with all its versions?`, body, action: 'Delete', danger: true }))
        remove.mutate();
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <Menu
      label={`More for ${name}`}
      items={[
        { label: isShared ? 'Keep it to myself' : 'Share with the workspace', onSelect: () => share.mutate() },
        { label: 'Delete', danger: true, onSelect: () => void askToRemove() },
      ]}
    />
  );
}
