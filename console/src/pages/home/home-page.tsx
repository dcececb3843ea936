import { useSession } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { BudgetAlerts } from './budget-alerts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthCard } from './health-card.tsx';
import styles from './home.module.css';
import { InvitationsCard } from './invitations-card.tsx';
import { QuarantineCard } from './quarantine-card.tsx';
import { RecentErrors } from './recent-errors.tsx';

export function HomePage() {
  const { organization, user } = useSession();
  return (
    <Page title="Home" lead={`${organization.name}, signed in as ${user.name || user.email}.`}>
      <InvitationsCard />
      <QuarantineCard />
      <BudgetAlerts />
      <div className={styles.home}>
        <FirstSteps />
        <HealthCard />
      </div>
      <RecentErrors />
    </Page>
  );
}
