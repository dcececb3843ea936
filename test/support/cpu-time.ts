/**
 * The processor time of this process from now on, in milliseconds: what a computation costs, however busy the machine
 * is with other things.
 */
export function countCpuMs(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** The same of one piece of work on this thread alone. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
