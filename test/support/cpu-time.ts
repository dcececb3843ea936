/**
 * The CPU time of this process from now on, in milliseconds: the cost of a computation, however busy the machine is.
 */
export function countCpuMs(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** The CPU time of one piece of work on this thread alone. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
