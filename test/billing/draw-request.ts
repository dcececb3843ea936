import type { Plan, Reports, Step, Used } from './counting-upstream.ts';

export type Drawn = {
  mark: string;
  path: string;
  body: Record<string, unknown>;
  plans: Record<'chat' | 'moderation', Plan>;
};

type Random = () => number;

const reports = ['always', 'first', 'end', 'never'] as const;
const age = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'go', description: 'Goes to a city.', parameters: city } }];
const guardrails = [{ block_on_error: false, moderation_llm_v2: { model_name: 'guard', action: 'none' } }];

/** A request of any kind, and what the model server will do at each call for it. */
export function drawRequest(index: number, random: Random): Drawn {
  const mark = String(index);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isLikely = (share: number) => random() < share;
  const words = `mark-${mark} ${'word '.repeat(Math.floor(random() * 20))}`;
  const plans = { chat: newPlan(drawSteps()), moderation: newPlan(isLikely(0.5) ? [] : drawSteps()) };
  const kind = oneOf(['chat', 'chat', 'chat', 'chat', 'fim', 'embeddings', 'moderation'] as const);
  if (kind === 'embeddings') return { mark, path: '/v1/embeddings', body: { model: 'vectors', input: words }, plans };
  if (kind === 'moderation') return { mark, path: '/v1/moderations', body: { model: 'guard', input: words }, plans };
  const stream = { stream: isLikely(0.5) };
  const many = isLikely(0.2) ? { n: 1 + Math.floor(random() * 3) } : {};
  if (kind === 'fim')
    return {
      mark,
      path: '/v1/fim/completions',
      body: { model: 'small', prompt: words, suffix: 'end', ...stream },
      plans,
    };
  const form = oneOf(['text', 'text', 'json', 'schema', 'tools', 'forced'] as const);
  const forms = {
    text: {},
    json: { response_format: { type: 'json_object' } },
    schema: { response_format: { type: 'json_schema', json_schema: { name: 'age', schema: age } } },
    tools: { tools },
    forced: { tools, tool_choice: 'any' },
  };
  const checked = isLikely(0.2) ? { guardrails } : {};
  const messages = [{ role: 'user', content: words }];
  const body = { model: 'small', messages, ...stream, ...many, ...forms[form], ...checked };
  return { mark, path: '/v1/chat/completions', body, plans };

  function drawSteps(): Step[] {
    return Array.from({ length: Math.floor(random() * 4) }, drawStep);
  }

  function drawStep(): Step {
    const chunks = Math.floor(random() * 5);
    const report: Reports = oneOf(reports);
    const used: Used = { prompt: 1 + Math.floor(random() * 50), completion: Math.floor(random() * 50) };
    switch (oneOf(['refuse', 'refuse', 'hang up', 'break off', 'nonsense', 'good', 'bad', 'bad', 'leave'] as const)) {
      case 'refuse': {
        const status = oneOf([400, 401, 429, 500, 503, 503]);
        return { do: 'refuse', status, ...(isLikely(0.2) && { used }) };
      }
      case 'hang up':
        return { do: 'hang up' };
      case 'break off':
        return { do: 'break off', chunks, reports: report };
      case 'nonsense':
        return { do: 'talk nonsense', ...(isLikely(0.5) && { used }) };
      case 'good':
      case 'bad': {
        const isGood = isLikely(0.5);
        return { do: 'answer', isGood, reports: report, ignoresN: isLikely(0.5), chunks: chunks + 1 };
      }
      case 'leave':
        return { do: 'lose the client', chunks, reports: report };
    }
  }
}

function newPlan(steps: Step[]): Plan {
  return { steps, calls: 0, used: { prompt: 0, completion: 0 }, sent: 0, leaveAfter: () => undefined };
}
