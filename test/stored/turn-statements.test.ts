import { beforeAll, expect, it } from 'vitest';
import { type Conversing, MODEL, startConversing } from '../../src/conversations/conversations-for-tests.ts';
import { call } from '../support/call.ts';
import { recordStatements } from '../support/count-statements.ts';
import { onSqliteFirst } from '../support/databases.ts';

const OWN = /"(conversations|conversation_entries|conversation_runs|responses)"/;
/** The tables of a turn, of which others write tasks and events meanwhile. */
const OF_A_TURN = new RegExp(`${OWN.source}|(into|update|from) "?(tasks|whole_events|event_batches|event_streams)\\b`);
const responses = '/openai/v1/responses';

onSqliteFirst('the statements of a turn', (database) => {
  let here: Conversing;
  beforeAll(async () => {
    here = await startConversing(database);
  });

  async function costOf(path: string, body: Record<string, unknown>) {
    const recorded = recordStatements(OF_A_TURN);
    const answer = await call(here.server, path, { body });
    expect(answer.status).toBe(200);
    return {
      answer: answer.body as Record<string, string>,
      reads: recorded.statements.filter((text) => OWN.test(text) && text.startsWith('select')).length,
      commits: recorded.commits.filter((texts) => texts.some((text) => OWN.test(text))),
    };
  }
  const countsOf = ({ reads, commits }: Awaited<ReturnType<typeof costOf>>) => [
    reads,
    commits.map((texts) => texts.length),
  ];

  // PostgreSQL takes the number of an event and stores it in one statement.
  const turnCommits = database.kind === 'sqlite' ? [6, 6] : [5, 5];

  it('a stored response takes those of a conversation turn and no other', async () => {
    const turn = await costOf('/v1/conversations', { model: MODEL, inputs: 'Hi' });
    const response = await costOf(responses, { model: MODEL, input: 'Hi' });
    expect(response.commits).toEqual(turn.commits);
    expect(countsOf(turn)).toEqual([0, turnCommits]);
  });

  it('continuing takes the same two commits, after two reads, or none of a conversation that is in memory', async () => {
    const turn = await costOf('/v1/conversations', { model: MODEL, inputs: 'Hi' });
    const response = await costOf(responses, { model: MODEL, input: 'Hi' });
    const append = await costOf(`/v1/conversations/${turn.answer.conversation_id}`, { inputs: 'On' });
    const next = await costOf(responses, { model: MODEL, input: 'On', previous_response_id: response.answer.id });
    expect(countsOf(append)).toEqual([database.kind === 'sqlite' ? 0 : 2, turnCommits]);
    expect(countsOf(next)).toEqual([2, turnCommits]);
  });
});
