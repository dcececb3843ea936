import { createFiller } from './forms.ts';

/** With a `form`, which many events of a stream have, `data` lists what stands at its marks. */
export type NewEvent = { type: string; data: unknown; form?: string };

/** `own` is JSON: of the data, or of the list that belongs to the form. */
export type EncodedEvent = { seq: number; type: string; form: string; own: string; created_at: string };

/** The events whose last number is `head`. */
export function encodeEvents(events: readonly NewEvent[], head: number, created_at: string): EncodedEvent[] {
  const first = head - events.length + 1;
  // A driver stores a plain string as it is, so text that should come back as a JSON string is encoded here.
  return events.map(({ type, data, form = '' }, i) => {
    if (form !== '' && !Array.isArray(data))
      throw new Error(`An event of type ${type} has a form and no list of values.`);
    return { seq: first + i, type, form, own: JSON.stringify(data ?? null), created_at };
  });
}

/** The whole event as JSON. */
export function jsonOf(event: EncodedEvent): string {
  return event.form === '' ? event.own : JSON.stringify(createFiller()(event.form, event.type, JSON.parse(event.own)));
}

/** Readers load and parse a page of rows at once. */
const BATCH_EVENTS_MAX = 16;
const BATCH_CHARACTERS_MAX = 32 * 1024;

type Batch = { events: EncodedEvent[]; characters: number };

/** Neighbours of the same form become one row. What would gain nothing stays a row of its own. */
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
  const isWorth = ({ events: [first, second] }: Batch) => second !== undefined || first?.form !== '';
  for (const batch of batches) if (!isWorth(batch)) whole.push(...batch.events);
  return { whole, batches: batches.filter(isWorth).map((batch) => batch.events) };
}

/** PostgreSQL stores zeros and halves of characters within JSON, but takes no such value apart, as the view does. */
const ESCAPED = '\\u';

function mayBeBatched({ own, form }: EncodedEvent): boolean {
  const hasForm = form !== '' || isObject(own);
  return hasForm && own.length <= BATCH_CHARACTERS_MAX && !own.includes(ESCAPED) && !form.includes(ESCAPED);
}

function mayJoin({ events, characters }: Batch, event: EncodedEvent): boolean {
  const last = events.at(-1);
  return (
    last?.form === event.form &&
    last.seq + 1 === event.seq &&
    events.length < BATCH_EVENTS_MAX &&
    characters + event.own.length <= BATCH_CHARACTERS_MAX
  );
}

/** As it is stored: JSON of `[[type, data], …]`, or of `[[type, ...values], …]` for a form. */
export function batchText(events: readonly EncodedEvent[]): string {
  const rows = events.map(
    ({ type, form, own }) => `[${JSON.stringify(type)},${form === '' ? `${own}]` : own.slice(1)}`,
  );
  return `[${rows.join()}]`;
}

/** An object with at least one member, as `JSON.stringify` writes it. */
function isObject(json: string): boolean {
  return json.length > 2 && json.startsWith('{');
}
