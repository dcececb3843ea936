import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { codeFile } from '../../../kit/base/locations.ts';
import type { Tenant } from '../../../kit/fair-queue/index.ts';
import type { ChatRequest } from '../../engine.ts';
import { Refusal } from '../../process/protocol.ts';
import { createTurns } from '../take-turns.ts';
import type { CallStyle, GrammarRequest } from './answer-grammar.ts';
import type { GrammarJob, GrammarReply, Grammars } from './worker.ts';

/** A measure of last resort: what one may cost is bounded by steps. */
const JOB_MS = 8000;
const knownMax = 64;
const HEAP_MIB = 256;
const STACK_MIB = 16;
const NO_GRAMMAR: Grammars = { grammar: undefined, looser: undefined };

type Waiting = { job: GrammarJob; tenant: Tenant | undefined; signal: AbortSignal; resolve(reply: GrammarReply): void };

/**
 * Grammars of requests, made in a thread of their own: the cost depends on the client's schemas, and this thread has the
 * tokens of everybody to hand out. One that takes too long is refused, as one that has too many forms.
 */
export function createGrammars() {
  const known = new Map<string, GrammarReply>();
  const queue: Waiting[] = [];
  const turns = createTurns();
  let current: Waiting | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;

  function open(): Worker {
    const opened = new Worker(codeFile('engines/llama/grammar/worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, stackSizeMb: STACK_MIB },
    });
    opened.unref();
    opened.on('message', finish);
    opened.on('error', () => giveUp('It takes too much memory.'));
    return opened;
  }

  function next(): void {
    if (current) return;
    // Nobody waits for the grammar of a client that has left.
    for (const left of queue.filter(({ signal }) => signal.aborted)) {
      queue.splice(queue.indexOf(left), 1);
      left.resolve(NO_GRAMMAR);
    }
    current = turns.pick(queue, []);
    if (!current) return;
    queue.splice(queue.indexOf(current), 1);
    turns.took(current);
    worker ??= open();
    timer = setTimeout(() => giveUp('It takes too long to prepare.'), JOB_MS);
    worker.postMessage(current.job);
  }

  function giveUp(refused: string): void {
    void worker?.terminate();
    worker = undefined;
    finish({ refused });
  }

  function finish(reply: GrammarReply): void {
    clearTimeout(timer);
    current?.resolve(reply);
    current = undefined;
    next();
  }

  return async function grammarsOf(request: ChatRequest, style: CallStyle, signal: AbortSignal): Promise<Grammars> {
    const { format, tools, toolChoice, parallelToolCalls } = request;
    if (format.type === 'text' && (tools.length === 0 || toolChoice === 'none')) return NO_GRAMMAR;
    const job: GrammarJob = { request: { format, tools, toolChoice, parallelToolCalls }, style };
    const key = createHash('sha256').update(JSON.stringify(job)).digest('base64');
    const reply =
      known.get(key) ??
      (await new Promise<GrammarReply>((resolve) => {
        queue.push({ job, tenant: request.tenant, signal, resolve });
        next();
      }));
    if (signal.aborted) return NO_GRAMMAR;
    known.delete(key);
    known.set(key, reply);
    const [oldest] = known.keys();
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
    if ('refused' in reply) throw refusal(job.request, reply.refused);
    return reply;
  };
}

function refusal({ format, tools }: GrammarRequest, reason: string): Refusal {
  const what = [
    ...(format.type === 'json_schema' ? ['the schema of response_format'] : []),
    ...(tools.length > 0 ? ['the parameters of a tool'] : []),
  ].join(' or ');
  return new Refusal(
    'grammar_too_expensive',
    `This model cannot be held to ${what} without keeping others waiting. ${reason} Use simpler patterns (fewer repetitions that overlap), fewer alternatives and shorter enums.`,
  );
}
