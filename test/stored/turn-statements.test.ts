import { beforeAll, expect, it } from 'vitest';
import { type Conversing, MODEL, startConversing } from '../../src/conversations/conversations-for-tests.ts';
import { call } from '../support/call.ts';
import { recordStatements } from '../support/count-statements.ts';
import { onEachDatabase } from '../support/databases.ts';

// The tables of a turn. Polls of tasks and event heads are reads, which a turn does not make there.
const OF_A_TURN = /(conversation|"responses"|(into|update|from) "(tasks|events|event_streams)")/;
const POLL = /^\s*select.*(tasks|event_streams)/s;
const responses = '/openai/v1/responses';

onEachDatabase('the statements of a turn', (database) => {
  let here: Conversing;
  beforeAll(async () => {
    here = await startConversing(database);
  });

  async function costOf(path: string, body: Record<string, unknown>) {
    const recorded = recordStatements(OF_A_TURN);
    const answer = await call(here.server, path, { body });
    expect(answer.status).toBe(200);
    const statements = recorded.statements.filter((text) => !POLL.test(text));
    return {
      answer: answer.body as Record<string, string>,
      reads: statements.filter((text) => text.startsWith('select')).length,
      commits: recorded.commits.map((texts) => texts.length),
      statements,
    };
  }

  it('a stored response takes those of a conversation turn and no other', async () => {
    const turn = await costOf('/v1/conversations', { model: MODEL, inputs: 'Hi' });
    const response = await costOf(responses, { model: MODEL, input: 'Hi' });
    expect(response.statements).toEqual(turn.statements);
    expect([turn.reads, turn.commits]).toEqual([0, [6, 6]]);
  });

  it('continuing takes the same two commits, after two reads', async () => {
    const turn = await costOf('/v1/conversations', { model: MODEL, inputs: 'Hi' });
    const response = await costOf(responses, { model: MODEL, input: 'Hi' });
    const append = await costOf(`/v1/conversations/${turn.answer.conversation_id}`, { inputs: 'On' });
    const next = await costOf(responses, { model: MODEL, input: 'On', previous_response_id: response.answer.id });
    expect([append.reads, append.commits]).toEqual([2, [6, 6]]);
    expect([next.reads, next.commits]).toEqual([2, [6, 6]]);
  });
});
