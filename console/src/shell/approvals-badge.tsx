import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Approval, approvalsQuery } from '../api/approvals.ts';
import { useToast } from '../ui/toast.tsx';
import navigationStyles from './navigation.module.css';

const SHOWN_MAX = 99;
const keyOf = ({ kind, id, title, version }: Approval) => `${kind} ${id} ${version} ${title}`;

/** How much waits for the user, beside the link to the inbox. What is new is told once. */
export function ApprovalsBadge() {
  const { data } = useQuery(approvalsQuery);
  useTellNew(data?.approvals);
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

/** Known in this page, also while the drawer of a narrow screen comes and goes. */
const told = new Set<string>();
let hasBegun = false;

/** Tells what began to wait since the page was opened: in the page, and by the system where the user allowed it. */
function useTellNew(approvals: readonly Approval[] | undefined): void {
  const toast = useToast();
  const show = useRef(toast);
  show.current = toast;
  useEffect(() => {
    if (!approvals) return;
    const fresh = approvals.filter((one) => !told.has(keyOf(one)));
    for (const one of fresh) told.add(keyOf(one));
    const isFirst = !hasBegun;
    hasBegun = true;
    const [newest] = fresh;
    if (isFirst || !newest) return;
    const text = fresh.length === 1 ? `${newest.title}.` : `${fresh.length} decisions wait for you.`;
    show.current.success(`Approvals: ${text}`);
    if (document.hidden && 'Notification' in window && Notification.permission === 'granted')
      new Notification('Tramontane', { body: text, tag: 'approvals' });
  }, [approvals]);
}
