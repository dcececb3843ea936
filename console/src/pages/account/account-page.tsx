import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { describeProblem } from '../sign-in/problems.ts';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { ProvidersCard } from './providers-card.tsx';
import { accountQuery } from './queries.ts';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

const route = getRouteApi('/shell/account');

export function AccountPage() {
  const { sign_in, organization, permissions } = useSession();
  const isOwner = permissions.includes('console:owner');
  const { problem } = route.useSearch();
  const query = useQuery(accountQuery);
  return (
    <Page title="Account" lead="Who you are here, how you sign in, and where you are signed in.">
      {sign_in.refusal && <Notice tone="warning">{sign_in.refusal}</Notice>}
      {problem && <Notice tone="warning">{describeProblem(problem)}</Notice>}
      {!isOwner && (
        <Notice>
          You are signed in with {sign_in.provider}, which opens {organization.name} alone. Sign in with your password
          to change your account.
        </Notice>
      )}
      <ProfileCard isOwner={isOwner} />
      {isOwner && (
        <Loaded query={query}>
          {(account) => (
            <>
              <PasswordCard hasPassword={account.has_password} />
              <SecondFactorCard account={account} />
              <ProvidersCard account={account} />
            </>
          )}
        </Loaded>
      )}
      {isOwner && <SessionsCard />}
    </Page>
  );
}
