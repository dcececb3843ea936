// The three steps as Temporal's own SDK takes them: a file of its own, because its worker bundles it.
import { proxyActivities } from '@temporalio/workflow';

const { add } = proxyActivities<{ add(input: { a: number; b: number }): Promise<number> }>({
  startToCloseTimeout: '1 minute',
});

export async function peerSteps(): Promise<number> {
  const one = await add({ a: 1, b: 2 });
  const two = await add({ a: one, b: 3 });
  return add({ a: two, b: 4 });
}
