import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { describeProblem } from '../sign-in/problems.ts';
import { PasswordCard } from './password-card.tsx';
import { ProvidersCard } from './providers-card.tsx';
import { accountQuery } from './queries.ts';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

const route = getRouteApi('/shell/account');

export function AccountPage() {
  const { user, organization, sign_in } = useSession();
  const { problem } = route.useSearch();
  const query = useQuery(accountQuery);
  return (
    <Page title="Account" lead="How you sign in, and where you are signed in.">
      {sign_in.refusal && <Notice tone="warning">{sign_in.refusal}</Notice>}
      {problem && <Notice tone="warning">{describeProblem(problem)}</Notice>}
      <Card title="Profile">
        <Facts
          facts={[
            ['Name', user.name ?? '–'],
            ['E-mail', user.email],
            ['Organization', organization.name],
            ['Signed in with', sign_in.provider ?? 'password'],
          ]}
        />
      </Card>
      <Loaded query={query}>
        {(account) => (
          <>
            <PasswordCard hasPassword={account.has_password} />
            <SecondFactorCard account={account} />
            <ProvidersCard account={account} />
          </>
        )}
      </Loaded>
      <SessionsCard />
    </Page>
  );
}
