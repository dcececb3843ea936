import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ConsoleSignInRules, SignInRules } from '../../../../src/console/schema/account.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Frame } from './frame.tsx';
import { useChange } from './use-change.ts';

const path = '/console/api/sign-in-rules';
type Rules = z.infer<typeof ConsoleSignInRules>;

export function SignInRulesPage() {
  const { organization } = useSession();
  return (
    <Frame
      adminsOnly
      title="Sign-in"
      lead={`How members of ${organization.name} must sign in to the console. API keys are not affected.`}
    >
      {() => <RulesCard />}
    </Frame>
  );
}

function RulesCard() {
  const query = useQuery({ queryKey: ['organization', 'sign-in-rules'], queryFn: () => api.get<Rules>(path) });
  const save = useChange({
    run: (rules: z.infer<typeof SignInRules>) => api.put<Rules>(path, rules),
    done: () => 'The rules were saved.',
  });
  return (
    <Card title="Rules">
      <Loaded query={query}>
        {({ second_factor, provider, providers }) => (
          <div className="stack">
            <CheckField
              label="Require a second factor"
              hint="Of members who sign in with a password. Those without one reach their account page only."
              checked={second_factor}
              disabled={save.isPending}
              onChange={(event) => save.mutate({ second_factor: event.target.checked, provider })}
            />
            {providers.length > 0 && (
              <SelectField
                label="Require a provider"
                hint="Sign in with it yourself first, so that you do not lock yourself out."
                disabled={save.isPending}
                options={[
                  { value: '', label: 'Any way' },
                  ...providers.map(({ id, name }) => ({ value: id, label: name })),
                ]}
                value={provider ?? ''}
                onChange={(chosen) => save.mutate({ second_factor, provider: chosen || null })}
              />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
