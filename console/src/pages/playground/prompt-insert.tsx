import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SelectField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { prompts, promptVersions } from './queries.ts';

/** Takes the newest text of a prompt of the registry as the system prompt. Not shown where there are no prompts. */
export function PromptInsert({ onInsert }: { onInsert: (text: string) => void }) {
  const { data = [] } = useQuery(prompts);
  const client = useQueryClient();
  const toast = useToast();
  if (data.length === 0) return null;
  const insert = async (name: string) => {
    try {
      const { data: versions = [] } = await client.fetchQuery(promptVersions(name));
      onInsert(versions[0]?.definition?.content ?? '');
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <SelectField
      label="Take a prompt from the registry"
      hideLabel
      value=""
      onChange={(name: string) => void (name && insert(name))}
      options={[
        { value: '', label: 'Take one from the registry…' },
        ...data.map(({ name = '', title }) => ({ value: name, label: title || name })),
      ]}
    />
  );
}
