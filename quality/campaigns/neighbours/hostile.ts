/** Bodies that are small or within every limit, and expensive for a server without budgets. */

type Body = Record<string, unknown>;
export type HostileRequest = { method?: string; path: string; body: Body };

const range = (start: number, end = 0) => [{ start, end, step: 0 }];
const day = { day_of_month: range(1, 31), month: range(1, 12), year: [], day_of_week: range(0, 6) };
const always = { ...day, second: range(0, 59), minute: range(0, 59), hour: range(0, 23) };
const odd = { ...always, second: Array.from({ length: 30 }, (_, n) => ({ start: 2 * n, end: 0, step: 0 })) };
const even = { ...odd, second: odd.second.map(({ start }) => ({ start: start + 1, end: 0, step: 0 })) };

export function hostileTimetables(workflow: string): HostileRequest[] {
  const timetables: Body[] = [
    { calendars: [{ second: [] }], intervals: [{ every: 'PT1S' }], skip: [always] },
    { intervals: [{ every: 'PT1S' }], skip: [odd, even], jitter: 'PT1H' },
    { calendars: Array.from({ length: 100 }, () => always), skip: [always], time_zone_name: 'Europe/Paris' },
    { calendars: Array.from({ length: 100 }, () => odd), skip: [odd], time_zone_name: 'America/Sao_Paulo' },
    { cron_expressions: Array.from({ length: 100 }, () => '0 0 29 2 1'), time_zone_name: 'Australia/Lord_Howe' },
    { intervals: Array.from({ length: 100 }, () => ({ every: 'PT1S', offset: 'PT0.5S' })), policy: { overlap: 6 } },
    { calendars: [{ ...always, year: range(2099, 2100) }], skip: [{ ...always, year: range(2000, 2099) }] },
  ];
  return timetables.map((schedule) => ({
    path: '/v1/workflows/schedules',
    body: { workflow_identifier: workflow, schedule: { input: {}, max_executions: 50, ...schedule } },
  }));
}

/** JSON schemas of many shapes. */
export function hostileSchemas(): Body[] {
  const doubling: Body = { $defs: {}, $ref: '#/$defs/n0' };
  const deep: Body = { $defs: {}, $ref: '#/$defs/n0' };
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/n${level + 1}` };
    (doubling.$defs as Body)[`n${level}`] = { allOf: [next, next] };
    (deep.$defs as Body)[`n${level}`] = { anyOf: [{ properties: { a: next } }, { properties: { a: next } }] };
  }
  (doubling.$defs as Body).n40 = (deep.$defs as Body).n40 = { type: 'object' };
  const branches = Array.from({ length: 300 }, (_, n) => ({ properties: { [`p${n}`]: { type: 'string' } } }));
  let nested: Body = { type: 'object' };
  for (let level = 0; level < 60; level++)
    nested = { type: 'object', anyOf: [nested, { type: 'null' }], unevaluatedProperties: false };
  return [
    { type: 'object', allOf: branches, unevaluatedProperties: false },
    { type: 'object', anyOf: branches, oneOf: branches.slice(0, 100), unevaluatedProperties: { type: 'string' } },
    doubling,
    deep,
    nested,
    { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    { type: 'object', properties: { a: { type: 'string', pattern: '(a?){500}'.repeat(12) } } },
    { type: 'object', properties: { a: { type: 'string', pattern: '(?=(a*)*)b\\1' } } },
    { type: 'object', properties: { a: { type: 'string', pattern: '((a{1,99}){1,99}){1,99}' } } },
    { type: 'object', properties: { a: { enum: Array.from({ length: 8000 }, (_, n) => `value ${n}`) } } },
    { type: 'object', patternProperties: Object.fromEntries(branches.map((_, n) => [`^(x|y)*${n}$`, {}])) },
    {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { a: { $dynamicRef: '#node' } },
      additionalProperties: false,
    },
  ];
}

export function hostileChats(model: string): HostileRequest[] {
  const messages = [{ role: 'user', content: 'Hello' }];
  return hostileSchemas().flatMap((schema, index) => [
    {
      path: '/v1/chat/completions',
      body: {
        model,
        messages,
        response_format: { type: 'json_schema', json_schema: { name: `s${index}`, schema: vary(schema) } },
      },
    },
    {
      path: '/v1/chat/completions',
      body: { model, messages, tools: [{ type: 'function', function: { name: 'f', parameters: vary(schema) } }] },
    },
  ]);
}

export function hostileRegistrations(): HostileRequest[] {
  return hostileSchemas().map((schema, index) => ({
    path: '/v1/workflows/register',
    body: {
      definitions: [{ name: `hostile-${index}`, task_queue: 'main', input_schema: vary(schema) }],
      deployment_name: 'main',
      worker_name: 'attacker',
    },
  }));
}

/** Inputs that are deep or wide, for the registered schemas. */
export function hostileInputs(): HostileRequest[] {
  let deep: unknown = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!';
  for (let level = 0; level < 40; level++) deep = { a: deep };
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, 'x']));
  return hostileSchemas().flatMap((_, index) =>
    [deep, wide, { a: `${'a'.repeat(5000)}!` }].map((input) => ({
      path: `/v1/workflows/hostile-${index}/execute`,
      body: { input: input as Body },
    })),
  );
}

/** A new text each time, so that no cache helps. */
let variant = 0;
function vary(schema: Body): Body {
  return { ...schema, title: `variant ${++variant}` };
}
