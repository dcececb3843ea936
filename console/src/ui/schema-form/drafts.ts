import type { Field } from './fields.ts';

/** The state of a form: texts as typed, in the shape of the fields. */
export type Draft = string | ObjectDraft | ListDraft | VariantDraft;
export type ObjectDraft = { properties: Readonly<Record<string, Draft>> };
/** Item IDs are React keys, so that removing an item removes its own inputs. */
export type ListDraft = { items: readonly { id: number; draft: Draft }[] };
export type VariantDraft = { picked: number; draft: Draft };

let lastId = 0;
export function newItem(draft: Draft): { id: number; draft: Draft } {
  return { id: ++lastId, draft };
}

/** The draft for a value; undefined gives the field's default. */
export function draftOf(field: Field, value: unknown, isRequired: boolean): Draft {
  const shown = value === undefined ? field.initial : value;
  switch (field.kind) {
    case 'object': {
      const given = (typeof shown === 'object' && shown !== null ? shown : {}) as Record<string, unknown>;
      return {
        properties: Object.fromEntries(
          field.properties.map((property) => [
            property.name,
            draftOf(property.field, given[property.name], property.isRequired),
          ]),
        ),
      };
    }
    case 'list': {
      const given: unknown[] = Array.isArray(shown) ? shown : [];
      const missing = isRequired ? Math.max(0, field.min - given.length) : 0;
      const values = [...given, ...Array.from({ length: missing }, () => undefined)];
      return { items: values.map((item) => newItem(draftOf(field.item, item, true))) };
    }
    case 'variants': {
      const picked = Math.max(
        0,
        shown === undefined ? 0 : field.options.findIndex((option) => fits(option.field, shown)),
      );
      const option = field.options[picked];
      return { picked, draft: option ? draftOf(option.field, shown, true) : '' };
    }
    case 'constant':
      return '';
    case 'choice': {
      const at = field.options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(shown));
      return at < 0 ? '' : String(at);
    }
    case 'boolean':
      return typeof shown === 'boolean' ? String(shown) : isRequired ? 'false' : '';
    case 'json':
      return shown === undefined ? '' : JSON.stringify(shown, null, 2);
    case 'number':
      return typeof shown === 'number' ? String(shown) : '';
    case 'text':
      return typeof shown === 'string' ? (field.format === 'date-time' ? toLocalTime(shown) : shown) : '';
  }
}

/** Whether a value matches a field, to find its variant. */
function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        field.properties.every((property) => {
          const part = (value as Record<string, unknown>)[property.name];
          return part === undefined
            ? !property.isRequired
            : property.field.kind !== 'constant' || fits(property.field, part);
        })
      );
    case 'list':
      return Array.isArray(value);
    case 'constant':
      return JSON.stringify(field.value) === JSON.stringify(value);
    case 'choice':
      return field.options.some((option) => JSON.stringify(option.value) === JSON.stringify(value));
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'variants':
      return field.options.some((option) => fits(option.field, value));
    case 'json':
      return true;
  }
}

/** As `datetime-local` inputs expect: local time without a zone. */
function toLocalTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
