import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isOrganizationAdmin, useSession } from '../../api/session.ts';
import { formatNumber } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { limitsQuery } from './queries.ts';

/** From here on a budget is nearly spent, as for the notification `budget.near`. */
const NEAR = 0.8;

/** Budgets that are spent or nearly so, for those who can raise them. */
export function BudgetAlerts() {
  const isAdmin = isOrganizationAdmin(useSession());
  const { data } = useQuery({ ...limitsQuery, enabled: isAdmin });
  const near = (data?.scopes ?? []).filter(
    ({ monthly_budget, spent }) => monthly_budget !== null && spent >= NEAR * monthly_budget,
  );
  return near.map(({ scope, id, name, spent, monthly_budget }) => {
    const isSpent = spent >= (monthly_budget ?? 0);
    return (
      <Notice key={`${scope}/${id}`} tone={isSpent ? 'danger' : 'warning'}>
        The budget of {name} is {isSpent ? 'spent, and its requests are refused' : 'nearly spent'}:{' '}
        {formatNumber(spent)} of {formatNumber(monthly_budget ?? 0)}. <Link to="/organization/limits">Limits</Link>
      </Notice>
    );
  });
}
