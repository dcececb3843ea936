export type JsonSchema = { readonly [key: string]: unknown };

type Shown = {
  title: string | undefined;
  description: string | undefined;
  isNullable: boolean;
  initial: unknown;
};

export type Property = { name: string; isRequired: boolean; field: Field };

/** A form field, derived from a JSON Schema. */
export type Field = Shown &
  (
    | {
        kind: 'text';
        format: string | undefined;
        minLength: number | undefined;
        maxLength: number | undefined;
        pattern: string | undefined;
      }
    | {
        kind: 'number';
        isInteger: boolean;
        min: number | undefined;
        max: number | undefined;
        above: number | undefined;
        below: number | undefined;
        multipleOf: number | undefined;
      }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: { label: string; value: unknown }[] }
    | { kind: 'constant'; value: unknown }
    | { kind: 'object'; properties: Property[] }
    | { kind: 'list'; item: Field; min: number; max: number | undefined }
    | { kind: 'variants'; options: { label: string; field: Field }[] }
    /** Anything that the form has no better input for. */
    | { kind: 'json' }
  );

export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** The path of a value in problems and in the server's errors: `order.lines.0.name`. */
export function pathOf(parent: string, name: string | number): string {
  return parent === '' ? String(name) : `${parent}.${name}`;
}
