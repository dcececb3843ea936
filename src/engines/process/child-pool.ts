import { createRunQueue, type RunQueueOptions } from './run-queue.ts';
import { type Child, type ChildOptions, startChild } from './start-child.ts';

export type ChildPool<Request, Part> = {
  /** Runs `work` on a child that has nothing else to do. */
  run<T>(signal: AbortSignal, work: (child: Child<Request, Part>) => Promise<T>): Promise<T>;
  pids(): number[];
  close(): Promise<void>;
};

export type ChildPoolOptions<Settings> = RunQueueOptions & { child: () => ChildOptions<Settings>; idleMs: number };

/** Child processes that serve one request at a time: started when needed, ended when idle, replaced when dead. */
export function createChildPool<Settings, Request, Part>(
  options: ChildPoolOptions<Settings>,
): ChildPool<Request, Part> {
  const queue = createRunQueue(options);
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

  return {
    run: (signal, work) =>
      queue.run(signal, async () => {
        const child = take();
        try {
          return await work(child);
        } finally {
          if (child.isAlive()) idle.set(child, setTimeout(() => void child.end(), options.idleMs).unref());
        }
      }),
    pids: () => [...all].flatMap((child) => child.pid() ?? []),
    async close() {
      queue.close();
      await Promise.all([...all].map((child) => child.end()));
    },
  };
}
