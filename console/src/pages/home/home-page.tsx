import { useSession } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthCard } from './health-card.tsx';
import { LastErrors } from './last-errors.tsx';

export function HomePage() {
  const { organization, user } = useSession();
  return (
    <Page title="Home" lead={`${organization.name}, signed in as ${user.name || user.email}.`}>
      <div className="home">
        <FirstSteps />
        <HealthCard />
      </div>
      <LastErrors />
    </Page>
  );
}
