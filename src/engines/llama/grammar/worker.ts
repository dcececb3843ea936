import { parentPort } from 'node:worker_threads';
import { answerGrammar, type CallStyle, type GrammarRequest } from './answer-grammar.ts';
import { TooExpensive } from './one-way/expression.ts';
import { makeOneWay } from './one-way/make-one-way.ts';

export type GrammarJob = { request: GrammarRequest; style: CallStyle };

/** `looser` has every schema open, for those whose grammar the native parser refuses. */
export type Grammars = { grammar: string | undefined; looser: string | undefined };

export type GrammarReply = Grammars | { refused: string };

parentPort?.on('message', (job: GrammarJob) => parentPort?.postMessage(reply(job)));

function reply({ request, style }: GrammarJob): GrammarReply {
  try {
    return { grammar: oneWay(request, style), looser: oneWay(withoutSchemas(request), style) };
  } catch (error) {
    if (error instanceof TooExpensive) return { refused: error.message };
    // A schema nested too deeply for the stack.
    if (error instanceof RangeError) return { refused: 'It is nested too deeply.' };
    return { refused: 'A part of it, such as a reference, cannot be read.' };
  }
}

function oneWay(request: GrammarRequest, style: CallStyle): string | undefined {
  const text = answerGrammar(request, style);
  return text === undefined ? undefined : makeOneWay(text);
}

/** The same request with every schema open: the form holds, the details are checked afterwards. */
function withoutSchemas(request: GrammarRequest): GrammarRequest {
  const { format } = request;
  return {
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, parameters: { type: 'object' } })),
    format: format.type === 'json_schema' ? { ...format, schema: {} } : format,
  };
}
