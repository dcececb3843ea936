import { defineStep, defineWorkflow } from '@tramontane/workflows';

// A separate file, because a Temporal worker bundles the files that define its workflows.
export const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);

export const threeSteps = defineWorkflow('three-steps', {}, async (ctx) => {
  const one = await ctx.step(add, { a: 1, b: 2 });
  const two = await ctx.step(add, { a: one, b: 3 });
  return ctx.step(add, { a: two, b: 4 });
});
