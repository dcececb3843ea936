import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Composer } from './composer.tsx';
import { agentChoices, agentQuery, conversationsKey } from './queries.ts';
import { beginConversation } from './use-run.ts';

const route = getRouteApi('/shell/conversations/new');
const NAME_CHARACTERS = 80;

const kinds = [
  { value: 'agent', label: 'Agent' },
  { value: 'model', label: 'Model' },
] as const;

export function NewConversationPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const agents = useQuery(agentChoices);
  const models = useQuery(chatModels);
  const named = useQuery(agentQuery(search.agent ?? ''));
  const [kind, setKind] = useState<'agent' | 'model' | undefined>(
    search.agent ? 'agent' : search.model ? 'model' : undefined,
  );
  const shownKind = kind ?? (agents.data?.length === 0 ? 'model' : 'agent');
  const [instructions, setInstructions] = useState('');
  const agentId = search.agent ?? agents.data?.[0]?.id ?? '';
  const model = search.model ?? models.data?.[0]?.id ?? '';
  // An agent beyond the first hundred can only come from the address.
  const choices = [...(agents.data ?? [])];
  if (named.data && !choices.some(({ id }) => id === named.data.id)) choices.unshift(named.data);
  const start = useMutation({
    mutationFn: (text: string) =>
      beginConversation('/v1/conversations', {
        inputs: text,
        name: text.trim().replace(/\s+/g, ' ').slice(0, NAME_CHARACTERS),
        ...(shownKind === 'agent'
          ? { agent_id: agentId, ...(search.version ? { agent_version: versionOf(search.version) } : {}) }
          : { model, ...(instructions.trim() ? { instructions } : {}) }),
      }),
    onSuccess: async (conversationId) => {
      void client.invalidateQueries({ queryKey: [...conversationsKey, 'list'] });
      await navigate({ to: '/conversations/$conversationId', params: { conversationId } });
    },
  });
  const isReady = shownKind === 'agent' ? agentId !== '' : model !== '';
  return (
    <Page title="New conversation" crumbs={<Link to="/conversations">Conversations</Link>}>
      <Card>
        <div>
          <Segments label="Talk to" options={kinds} value={shownKind} onChange={setKind} />
        </div>
        {shownKind === 'agent' ? (
          <SelectField
            label="Agent"
            hint={search.version && `Version ${search.version}.`}
            value={agentId}
            onChange={(agent) => void navigate({ search: { agent }, replace: true })}
            options={
              choices.length > 0
                ? choices.map(({ id, name }) => ({ value: id, label: name }))
                : [{ value: '', label: 'No agents yet' }]
            }
          />
        ) : (
          <>
            <SelectField
              label="Model"
              value={model}
              onChange={(chosen) => void navigate({ search: { model: chosen }, replace: true })}
              options={modelChoices(models.data ?? [])}
            />
            <TextAreaField
              label="Instructions"
              hint="Sent to the model before each turn. Optional."
              rows={3}
              value={instructions}
              onChange={(event) => setInstructions(event.target.value)}
            />
          </>
        )}
        <ErrorNotice error={start.error} />
        <Composer
          isRunning={start.isPending}
          disabled={!isReady}
          placeholder="Write a message"
          onSend={(text) =>
            start.mutateAsync(text).then(
              () => true,
              () => false,
            )
          }
        />
      </Card>
    </Page>
  );
}

/** A number is a version, anything else an alias. */
function versionOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
