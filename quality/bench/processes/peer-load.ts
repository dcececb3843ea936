/** Runs `execute` so often, so many at a time. */
export async function loadPeer(
  { count, concurrency }: { count: number; concurrency: number },
  execute: () => Promise<unknown>,
): Promise<{ seconds: number; latencies: number[] }> {
  const latencies: number[] = [];
  let left = count;
  const begun = performance.now();
  const client = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const result = await execute();
      if (result !== 10) throw new Error(`The result was ${JSON.stringify(result)}.`);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { seconds: (performance.now() - begun) / 1000, latencies };
}
