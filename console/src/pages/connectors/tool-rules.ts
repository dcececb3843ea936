import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { useToast } from '../../ui/toast.tsx';
import { type Connector, connectorPath, connectorsKey } from './queries.ts';

export type Rule = 'allow' | 'ask' | 'deny';

export const RULES: { value: Rule; label: string }[] = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask first' },
  { value: 'deny', label: 'Deny' },
];

/** The user's own rules for tools; those of the workspace and the organization hold beside them. */
export function useToolRules({ id, connection_preferences = [] }: Connector) {
  const own = connection_preferences?.find(({ consumer_type }) => consumer_type === 'user')?.tool_configuration ?? {};
  const denied = own.exclude ?? [];
  const asked = own.requires_confirmation ?? [];
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: ({ name, rule }: { name: string; rule: Rule }) => {
      const others = (names: readonly string[]) => names.filter((one) => one !== name);
      return api.put(`${connectorPath(id)}/user/preferences`, {
        exclude: [...others(denied), ...(rule === 'deny' ? [name] : [])],
        requires_confirmation: [...others(asked), ...(rule === 'ask' ? [name] : [])],
      });
    },
    onSuccess: async (_saved, { name, rule }) => {
      const label = RULES.find(({ value }) => value === rule)?.label;
      toast.success(`${name}: ${label}`);
      await client.invalidateQueries({ queryKey: connectorsKey });
    },
    onError: toast.error,
  });
  return {
    denied,
    of: (name: string): Rule => (denied.includes(name) ? 'deny' : asked.includes(name) ? 'ask' : 'allow'),
    set: (name: string, rule: Rule) => save.mutate({ name, rule }),
  };
}
