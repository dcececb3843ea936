import {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  type Tenant,
  type UnitOptions,
} from '../../kit/fair-queue/index.ts';
import { requestErrors } from '../../kit/http/index.ts';
import { type Child, type ChildOptions, startChild } from './start-child.ts';

export type ChildPool<Request, Part> = {
  /** Runs `work` on a child that has nothing else to do, when the tenant's turn has come. */
  run<T>(
    tenant: Tenant,
    signal: AbortSignal,
    work: (child: Child<Request, Part>) => Promise<T>,
    unit?: UnitOptions,
  ): Promise<T>;
  /** Whether another tenant would get the child that this one leaves now. */
  isContested: FairQueue['isContested'];
  pids(): number[];
  close(): Promise<void>;
};

export type ChildPoolOptions<Settings> = FairQueueOptions & { child: () => ChildOptions<Settings>; idleMs: number };

/** Child processes that serve one request at a time: started when needed, ended when idle, replaced when dead. */
export function createChildPool<Settings, Request, Part>(
  options: ChildPoolOptions<Settings>,
): ChildPool<Request, Part> {
  const queue = createFairQueue(options);
  const all = new Set<Child<Request, Part>>();
  const idle = new Map<Child<Request, Part>, NodeJS.Timeout>();

  function take(): Child<Request, Part> {
    const rested = [...idle.keys()].findLast((child) => child.isAlive());
    if (!rested) return start();
    clearTimeout(idle.get(rested));
    idle.delete(rested);
    return rested;
  }

  function start(): Child<Request, Part> {
    const child = startChild<Settings, Request, Part>(options.child(), {
      exited() {
        clearTimeout(idle.get(child));
        idle.delete(child);
        all.delete(child);
      },
    });
    all.add(child);
    return child;
  }

  async function onChild<T>(work: (child: Child<Request, Part>) => Promise<T>): Promise<T> {
    const child = take();
    try {
      return await work(child);
    } finally {
      if (child.isAlive()) idle.set(child, setTimeout(() => void child.end(), options.idleMs).unref());
    }
  }

  return {
    run: (tenant, signal, work, unit) => queue.run(tenant, signal, () => onChild(work), unit),
    isContested: queue.isContested,
    pids: () => [...all].flatMap((child) => child.pid() ?? []),
    async close() {
      queue.close(requestErrors.server_stopping);
      await Promise.all([...all].map((child) => child.end()));
    },
  };
}
