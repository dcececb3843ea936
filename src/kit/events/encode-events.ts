/** `shared` is JSON that many events of a stream begin with, from `shareMembers`; `data` is then an object without it. */
export type NewEvent = { type: string; data: unknown; shared?: string };

/** An event with its data as JSON text, apart from what is shared. */
export type EncodedEvent = { seq: number; type: string; shared: string; own: string; created_at: string };

/** Members of an object, each with a comma after it, to stand before those of another. */
export function shareMembers(members: Record<string, unknown>): string {
  const json = JSON.stringify(members);
  return json === '{}' ? '' : `${json.slice(1, -1)},`;
}

export function jsonOf({ shared, own }: Pick<EncodedEvent, 'shared' | 'own'>): string {
  return shared === '' ? own : `{${shared}${own.slice(1)}`;
}

/** The events whose last number is `head`. */
export function encodeEvents(events: readonly NewEvent[], head: number, created_at: string): EncodedEvent[] {
  const first = head - events.length + 1;
  // A driver stores a plain string as it is, so text that should come back as a JSON string is encoded here.
  return events.map(({ type, data, shared = '' }, i) => {
    const own = JSON.stringify(data ?? null);
    if (shared !== '' && !isObject(own)) throw new Error(`An event of type ${type} shares members and has none.`);
    return { seq: first + i, type, shared, own, created_at };
  });
}

/** Readers load and parse a page of rows at once. */
const BATCH_EVENTS_MAX = 16;
const BATCH_CHARACTERS_MAX = 32 * 1024;

type Batch = { events: EncodedEvent[]; characters: number };

/** Neighbours that share the same become one row. What would gain nothing stays a row of its own. */
export function toBatches(events: readonly EncodedEvent[]): { whole: EncodedEvent[]; batches: EncodedEvent[][] } {
  const whole: EncodedEvent[] = [];
  const batches: Batch[] = [];
  for (const event of events) {
    const last = batches.at(-1);
    const size = event.own.length;
    if (!mayBeBatched(event)) whole.push(event);
    else if (last && mayJoin(last, event)) {
      last.events.push(event);
      last.characters += size;
    } else batches.push({ events: [event], characters: size });
  }
  const isWorth = ({ events: [first, second] }: Batch) => second !== undefined || first?.shared !== '';
  for (const batch of batches) if (!isWorth(batch)) whole.push(...batch.events);
  return { whole, batches: batches.filter(isWorth).map((batch) => batch.events) };
}

/** PostgreSQL stores zeros and halves of characters within JSON, but takes no such value apart, as the view does. */
const ESCAPED = '\\u';

function mayBeBatched({ own, shared }: EncodedEvent): boolean {
  return isObject(own) && own.length <= BATCH_CHARACTERS_MAX && !own.includes(ESCAPED) && !shared.includes(ESCAPED);
}

function mayJoin({ events, characters }: Batch, event: EncodedEvent): boolean {
  const last = events.at(-1);
  return (
    last?.shared === event.shared &&
    last.seq + 1 === event.seq &&
    events.length < BATCH_EVENTS_MAX &&
    characters + event.own.length <= BATCH_CHARACTERS_MAX
  );
}

/** As it is stored: JSON of a list. */
export function batchText(events: readonly EncodedEvent[]): string {
  let text = '[';
  for (const { type, own } of events) text += `${text === '[' ? '' : ','}[${JSON.stringify(type)},${own}]`;
  return `${text}]`;
}

/** An object with at least one member, as `JSON.stringify` writes it. */
function isObject(json: string): boolean {
  return json.length > 2 && json.startsWith('{');
}
