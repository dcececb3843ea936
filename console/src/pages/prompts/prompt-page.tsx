import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PromptDefinition } from '../../../../src/prompts/schema.ts';
import { Aliases } from '../../registry/aliases.tsx';
import { EntryMenu } from '../../registry/entry-menu.tsx';
import { History } from '../../registry/history.tsx';
import { entryQuery, versionsQuery } from '../../registry/queries.ts';
import { isShared } from '../../registry/registry-list.tsx';
import { describeUses } from '../../registry/uses.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { prompts } from './registry.ts';
import { TextTab } from './text-tab.tsx';

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
            <Badge tone={shared ? 'accent' : 'neutral'}>{shared ? 'shared with workspace' : 'private'}</Badge>
          </span>
        )
      }
      actions={
        prompt.data && (
          <>
            <Link to="/playground" search={{ target }} className={buttonClass({ look: 'default' })}>
              Open in playground
            </Link>
            <EntryMenu registry={prompts} id={promptId} name={name} isShared={shared === true} />
          </>
        )
      }
    >
      <Loaded query={versions}>
        {(list) => (
          <Tabs label="Prompt sections" tabs={TABS} value={tab} onChange={setTab}>
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
                usedBy={(alias) => describeUses(prompts, promptId, alias)}
              />
            )}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
