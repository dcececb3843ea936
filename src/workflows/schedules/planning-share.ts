/** Of one core, for the timetables of one organization, beyond a burst. */
const SHARE = 0.1;
const BURST_MS = 50;
const KEPT_MAX = 1000;

export type PlanningShare = {
  /** How long the organization's next plan must wait. */
  waitMs(organizationId: string): number;
  measure<T>(organizationId: string, plan: () => T): T;
};

/** Keeps an organization with many expensive timetables from using up the event loop. */
export function createPlanningShare(clock: () => number = () => performance.now()): PlanningShare {
  /** Least recently used first. */
  const debts = new Map<string, { ms: number; at: number }>();

  function debtOf(organizationId: string): number {
    const debt = debts.get(organizationId);
    return debt ? Math.max(0, debt.ms - (clock() - debt.at) * SHARE) : 0;
  }

  return {
    waitMs: (organizationId) => Math.max(0, Math.ceil((debtOf(organizationId) - BURST_MS) / SHARE)),
    measure(organizationId, plan) {
      const began = clock();
      try {
        return plan();
      } finally {
        const at = clock();
        const ms = debtOf(organizationId) + at - began;
        debts.delete(organizationId);
        debts.set(organizationId, { ms, at });
        if (debts.size > KEPT_MAX) debts.delete(debts.keys().next().value ?? '');
      }
    },
  };
}
