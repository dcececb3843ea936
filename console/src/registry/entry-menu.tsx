import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/api.ts';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { useToast } from '../ui/toast.tsx';
import { useRemoval } from '../ui/use-removal.ts';
import { addressOf, type Registry } from './queries.ts';
import { describeUses } from './uses.tsx';

type Props = { registry: Registry; id: string; name: string; isShared: boolean; items?: readonly MenuItem[] };

/** Sharing and deletion; deleting asks for confirmation that lists the users. */
export function EntryMenu({ registry, id, name, isShared, items = [] }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const path = addressOf(registry, id);
  const share = useMutation({
    mutationFn: () => api.patch(path, { sharingScope: isShared ? 'private' : 'workspace' }),
    onSuccess: () => client.invalidateQueries({ queryKey: [registry.path] }),
    onError: toast.error,
  });
  const remove = useRemoval({
    title: () => `Delete ${name} with all its versions?`,
    body: () => describeUses(registry, id, undefined),
    action: 'Delete',
    run: () => api.delete(path),
    done: () => `The ${registry.noun} ${name} was deleted.`,
    leave: () => navigate({ to: registry.noun === 'prompt' ? '/prompts' : '/skills' }),
    forget: [registry.path, 'one', id],
    reload: [registry.path],
  });
  return (
    <Menu
      label={`Actions for ${name}`}
      items={[
        ...items,
        { label: isShared ? 'Make private' : 'Share with the workspace', onSelect: () => share.mutate() },
        { label: 'Delete', danger: true, onSelect: () => remove.ask() },
      ]}
    />
  );
}
