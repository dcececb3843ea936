import { useQuery } from '@tanstack/react-query';
import { approvalsQuery } from '../api/approvals.ts';
import navigationStyles from './navigation.module.css';

const SHOWN_MAX = 99;

/** How much waits for the user, beside the link to the inbox. */
export function ApprovalsBadge() {
  const { data } = useQuery(approvalsQuery);
  const count = data?.approvals.length ?? 0;
  if (count === 0) return null;
  const shown = count > SHOWN_MAX || data?.has_more ? `${Math.min(count, SHOWN_MAX)}+` : String(count);
  return (
    <span className={navigationStyles.count}>
      {shown}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}
