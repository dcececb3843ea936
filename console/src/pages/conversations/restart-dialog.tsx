import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { agentQuery, type Conversation, conversationPath, conversationsKey } from './queries.ts';
import type { Item } from './timeline-items.ts';
import { beginConversation } from './use-run.ts';

type Props = { conversation: Conversation; item: Item; onClose: () => void };

export function RestartDialog({ conversation, item, onClose }: Props) {
  const [text, setText] = useState('');
  const agentId = 'agent_id' in conversation ? conversation.agent_id : '';
  const agent = useQuery(agentQuery(agentId));
  const [version, setVersion] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const restart = useMutation({
    mutationFn: () =>
      beginConversation(`${conversationPath(conversation.id)}/restart`, {
        from_entry_id: item.id,
        ...(text.trim() ? { inputs: text } : {}),
        ...(version === '' ? {} : { agent_version: Number(version) }),
      }),
    onSuccess: async (conversationId) => {
      void client.invalidateQueries({ queryKey: conversationsKey });
      await navigate({ to: '/conversations/$conversationId', params: { conversationId } });
      onClose();
    },
  });
  const asksAgain = item.kind === 'message' && item.role === 'user';
  return (
    <EntityDialog
      title="Restart from here"
      action="Restart"
      save={restart}
      icon="branch"
      onSave={() => restart.mutate()}
      onClose={onClose}
    >
      <p>Creates a branch with everything up to and including this entry. This conversation stays unchanged.</p>
      <TextAreaField
        label="Next message"
        hint={
          asksAgain ? 'Leave empty to regenerate the response to the same message.' : 'The message to send instead.'
        }
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {agent.data && agent.data.versions.length > 1 && (
        <SelectField
          label="Agent version"
          value={version}
          onChange={setVersion}
          options={[
            { value: '', label: 'Same version' },
            ...[...agent.data.versions]
              .reverse()
              .map((number) => ({ value: String(number), label: `Version ${number}` })),
          ]}
        />
      )}
    </EntityDialog>
  );
}
