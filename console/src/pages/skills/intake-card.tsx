import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SkillIntake } from '../../../../src/skills/schema/skills.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Segments } from '../../ui/segments.tsx';
import { useToast } from '../../ui/toast.tsx';
import { intakeQuery } from './queries.ts';

const POLICIES = [
  { value: 'report', label: 'Take and report' },
  { value: 'refuse', label: 'Refuse' },
] as const;

/** What becomes of a new version in which the scan finds something; admins of the workspace choose. */
export function IntakeCard() {
  const client = useQueryClient();
  const toast = useToast();
  const { permissions } = useSession();
  const intake = useQuery(intakeQuery);
  const set = useMutation({
    mutationFn: (policy: SkillIntake['policy']) => api.put<SkillIntake>('/v1/skill-intake', { policy }),
    onSuccess: (answer) => {
      client.setQueryData(intakeQuery.queryKey, answer);
      toast.success(
        answer.policy === 'refuse'
          ? 'New versions with findings are refused now.'
          : 'New versions with findings are taken and reported now.',
      );
    },
    onError: toast.error,
  });
  return (
    <Card title="Intake scan">
      <Loaded query={intake} lines={2}>
        {({ policy }) => (
          <div className="row row-between">
            <p className="muted skill-intake-text">
              Every new version is looked through for what a reviewer should see: commands that fetch and run, encoded
              programs, machine code, addresses by number, hidden characters.{' '}
              {policy === 'refuse'
                ? 'Versions with such findings are refused in this workspace.'
                : 'Versions with such findings are taken, and the findings shown.'}
            </p>
            {permissions.includes('skills:administer') && (
              <Segments
                label="What becomes of versions with findings"
                options={POLICIES}
                value={set.isPending ? set.variables : policy}
                onChange={(chosen) => set.mutate(chosen)}
              />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
