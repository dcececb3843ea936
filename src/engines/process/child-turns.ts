import { createFairQueue, type FairQueueOptions, type Tenant, type UnitOptions } from '../../kit/fair-queue/index.ts';
import { createInbox } from './inbox.ts';
import type { SupervisedChild } from './supervise-child.ts';

export type ChildTurns<Request, Part> = {
  /**
   * The parts of a reply, when the tenant's turn has come. The child's slot does not depend on the reader: one who
   * leaves or reads slowly holds up nobody. A step that has begun is finished first.
   */
  request(request: Request, signal: AbortSignal, tenant: Tenant, unit?: UnitOptions): AsyncGenerator<Part[], void>;
};

/** Lets tenants take turns on a child that serves one request at a time, each of a second or so. */
export function createChildTurns<Request, Part>(
  child: Pick<SupervisedChild<Request, Part>, 'request'>,
  { stepMs, ...options }: Omit<FairQueueOptions, 'concurrency'> & { stepMs: number },
): ChildTurns<Request, Part> {
  const queue = createFairQueue({ ...options, concurrency: 1 });
  return {
    async *request(request, signal, tenant, unit) {
      const leaving = new AbortController();
      const until = AbortSignal.any([signal, leaving.signal]);
      const inbox = createInbox<Part>();
      const leave = () => inbox.fail(signal.reason);
      const serve = async () => {
        for await (const parts of child.request(request, until, { graceMs: stepMs })) inbox.push(parts);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.run(tenant, until, serve, unit).then(inbox.end, inbox.fail);
      try {
        for (let parts = await inbox.take(); parts; parts = await inbox.take()) yield parts;
      } finally {
        signal.removeEventListener('abort', leave);
        leaving.abort();
      }
    },
  };
}
