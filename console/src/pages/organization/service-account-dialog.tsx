import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type {
  ListAssignableServiceAccountRolesResponse,
  ListServiceAccountRolesResponse,
  ServiceAccount,
} from '../../../../src/admin/schema/service-accounts.ts';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { roleLabel } from './role-names.ts';
import { useChange } from './use-change.ts';

const path = '/v1/service-accounts';
type Props = { workspaceId: string; account?: ServiceAccount; onClose: () => void };

/** Creates an account, or changes its description and its role. The name stays: the audit log tells it. */
export function ServiceAccountDialog({ workspaceId, account, onClose }: Props) {
  const [name, setName] = useState(account?.name ?? '');
  const [description, setDescription] = useState(account?.description ?? '');
  const [chosen, setChosen] = useState<string>();
  const roles = useQuery({
    queryKey: ['organization', 'assignable-roles', workspaceId],
    queryFn: () =>
      api.get<z.infer<typeof ListAssignableServiceAccountRolesResponse>>(`${path}/assignable-roles`, {
        query: { workspace_id: workspaceId },
      }),
  });
  const held = useQuery({
    queryKey: ['organization', 'service-account-roles', account?.id],
    queryFn: () => api.get<z.infer<typeof ListServiceAccountRolesResponse>>(`${path}/${account?.id}/roles`),
    enabled: account !== undefined,
  });
  const items = roles.data?.items ?? [];
  const role = chosen ?? held.data?.items[0]?.role_id ?? items[0]?.uuid ?? '';
  const save = useChange({
    quiet: true,
    run: async () => {
      const text = description.trim() || null;
      if (!account)
        return void (await api.post(path, {
          name: name.trim(),
          workspace_id: workspaceId,
          description: text,
          role_ids: [role],
        }));
      await api.patch(`${path}/${account.id}`, { description: text });
      if (chosen !== undefined) await api.put(`${path}/${account.id}/roles`, { role_ids: [chosen] });
    },
    done: () => `${name.trim()} was saved.`,
    after: onClose,
  });
  return (
    <EntityDialog
      title={account ? `Edit ${account.name}` : 'New service account'}
      action={account ? 'Save' : 'Create'}
      save={save}
      onSave={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        readOnly={account !== undefined}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Description"
        maxLength={1024}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label="Role"
        fills="role_ids"
        hint={items.find(({ uuid }) => uuid === role)?.description}
        options={items.map(({ uuid, name: label }) => ({ value: uuid, label: roleLabel(label) }))}
        value={role}
        onChange={setChosen}
      />
    </EntityDialog>
  );
}
