import { expect, it } from 'vitest';
import { createQuestions } from './questions.ts';
import { SessionlessTransport } from './sessionless-transport.ts';

it('what a tool has asked is forgotten when its client leaves', async () => {
  const questions = createQuestions();
  const transport = new SessionlessTransport(questions, 'ada');
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' });
  expect(questions.size).toBe(1);
  await transport.close();
  expect(questions.size).toBe(0);
});
