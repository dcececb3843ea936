import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FromProcess, ToProcess } from './protocol.ts';

/** Answers one question, in as many pieces as it likes. What it gives in its own turn leaves before it returns. */
export type Answering<Question, Answer> = (question: Question, give: (answer: Answer) => void) => Promise<void> | void;

/**
 * The side of the process that does the work: one question after the other, in the order they came. Who streams has one
 * question here at a time, so streams take turns sentence by sentence.
 */
export function serveQuestions<Question, Answer>(load: () => Promise<Answering<Question, Answer>>): void {
  const waiting = new Map<number, Question>();
  let inHand: number | undefined;
  let isWorking = false;

  // Without the server nobody reads the answers. Its end is told by the channel, however it ended.
  process.on('disconnect', () => process.exit(0));
  // A Ctrl-C or a service manager reaches every process at once; the server decides when requests are drained.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

  const loading = load();
  loading.then(
    () => say({ kind: 'ready' }),
    (error: unknown) =>
      process.send?.({ kind: 'unusable', reason: String(error) } satisfies FromProcess<Answer>, () => process.exit(1)),
  );

  process.on('message', (message: ToProcess<Question>) => {
    if (message.kind === 'ping') return say({ kind: 'pong', work: inHand });
    if (message.kind === 'cancel') {
      waiting.delete(message.id);
      return;
    }
    waiting.set(message.id, message.question);
    if (!isWorking) void loading.then(work, () => undefined);
  });

  async function work(answering: Answering<Question, Answer>): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let next = first(); next; next = first()) {
      const [id, question] = next;
      inHand = id;
      waiting.delete(id);
      try {
        await answering(question, (answer) => say({ kind: 'answer', id, answer }));
        say({ kind: 'done', id });
      } catch (error) {
        say({ kind: 'broken', id, reason: String(error) });
      }
      inHand = undefined;
      // Lets messages in, among them the news that a question is not asked any more.
      await nextTurn();
    }
    isWorking = false;
  }

  function first(): [number, Question] | undefined {
    return waiting.entries().next().value;
  }

  function say(message: FromProcess<Answer>): void {
    // A server that has just gone does not take it; the end of the channel is what ends us.
    process.send?.(message, () => undefined);
  }
}
