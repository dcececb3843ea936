import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SkillIntake } from '../../../../src/skills/schema/skills.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Segments } from '../../ui/segments.tsx';
import { useToast } from '../../ui/toast.tsx';
import { intakeQuery } from './queries.ts';
import styles from './skills.module.css';

const POLICIES = [
  { value: 'report', label: 'Accept and report' },
  { value: 'refuse', label: 'Reject' },
] as const;

/** The workspace's policy for versions with findings, set by its administrators. */
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
          ? 'New versions with findings are now rejected.'
          : 'New versions with findings are now accepted and reported.',
      );
    },
    onError: toast.error,
  });
  return (
    <Card title="Intake scan">
      <Loaded query={intake} lines={2}>
        {({ policy }) => (
          <div className="row row-between">
            <p className={`muted ${styles.intakeText}`}>
              Every new version is scanned for content that needs review: download-and-run commands, encoded programs,
              machine code, raw IP addresses, hidden characters.{' '}
              {policy === 'refuse'
                ? 'Versions with findings are rejected in this workspace.'
                : 'Versions with findings are accepted and the findings shown.'}
            </p>
            {permissions.includes('skills:administer') && (
              <Segments
                label="Policy for versions with findings"
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
