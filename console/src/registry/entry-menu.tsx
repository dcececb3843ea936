import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/api.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { useToast } from '../ui/toast.tsx';
import { addressOf, type Registry } from './queries.ts';
import { describeUses } from './uses.tsx';

type Props = { registry: Registry; id: string; name: string; isShared: boolean; items?: readonly MenuItem[] };

/** Sharing and deletion; deleting asks for confirmation that lists the users. */
export function EntryMenu({ registry, id, name, isShared, items = [] }: Props) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const toast = useToast();
  const path = addressOf(registry, id);
  const share = useMutation({
    mutationFn: () => api.patch(path, { sharingScope: isShared ? 'private' : 'workspace' }),
    onSuccess: () => client.invalidateQueries({ queryKey: [registry.path] }),
    onError: toast.error,
  });
  const remove = useMutation({
    mutationFn: () => api.delete(path),
    onSuccess: async () => {
      await navigate({ to: registry.noun === 'prompt' ? '/prompts' : '/skills' });
      client.removeQueries({ queryKey: [registry.path, 'one', id] });
      await client.invalidateQueries({ queryKey: [registry.path] });
      toast.success(`The ${registry.noun} ${name} was deleted.`);
    },
    onError: toast.error,
  });
  const askToRemove = async () => {
    try {
      const body = await describeUses(registry, id, undefined);
      if (await confirm({ title: `Delete ${name} with all its versions?`, body, action: 'Delete', danger: true }))
        remove.mutate();
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <Menu
      label={`Actions for ${name}`}
      items={[
        ...items,
        { label: isShared ? 'Make private' : 'Share with the workspace', onSelect: () => share.mutate() },
        { label: 'Delete', danger: true, onSelect: () => void askToRemove() },
      ]}
    />
  );
}
