import { defineStep, defineWorkflow } from '@tramontane/workflows';
import { z } from 'zod';

/** Steps touch the world: they may fail and are tried again. Here the answer would go to a mail server. */
const send = defineStep(
  'send-answer',
  { input: z.object({ to: z.string(), text: z.string() }), retry: { maxAttempts: 5 } },
  async ({ to, text }, step) => {
    step.log.info(`to ${to}: ${text}`);
    return { sent: true };
  },
);

const Verdict = z.object({ approved: z.boolean(), comment: z.string().optional() });

/** An agent drafts an answer, a person approves it or says what to change, and only then is it sent. */
export const supportAgent = defineWorkflow(
  'support-agent',
  {
    displayName: 'Support agent',
    description: 'Drafts an answer to a question and sends it once a person has approved it',
    input: z.object({ from: z.string(), question: z.string(), model: z.string().default('mistral-small-latest') }),
    output: z.object({ sent: z.boolean(), text: z.string(), drafts: z.number() }),
    executionTimeoutMs: 7 * 24 * 60 * 60 * 1000,
    searchKeys: ['from'],
  },
  async (ctx, { from, question, model }) => {
    let wishes = '';
    for (let drafts = 1; drafts <= 5; drafts++) {
      const draft = await ctx.agent({
        model,
        instructions: `You answer customers of a bicycle shop, kindly and in at most three sentences.${wishes}`,
        input: question,
        settings: { max_tokens: 120 },
      });
      // The execution waits here, for days if need be, and costs nothing meanwhile.
      const verdict = await ctx.waitForInput(Verdict, `Send this to ${from}?\n\n${draft.text}`);
      if (verdict.approved) {
        await ctx.step(send, { to: from, text: draft.text });
        return { sent: true, text: draft.text, drafts };
      }
      wishes = ` Mind this remark about your last draft: ${verdict.comment ?? 'try again'}`;
    }
    return { sent: false, text: '', drafts: 5 };
  },
);
