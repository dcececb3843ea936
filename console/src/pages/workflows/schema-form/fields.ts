export type JsonSchema = { readonly [key: string]: unknown };

type Shown = {
  title: string | undefined;
  description: string | undefined;
  /** Null is a value of it. */
  isNullable: boolean;
  /** What it begins with. */
  initial: unknown;
};

export type Property = { name: string; isRequired: boolean; field: Field };

/** What is asked for in one place of a form. */
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
    /** Whatever a form has no better way to ask for. */
    | { kind: 'json' }
  );

export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** How a place of the value is called in messages and in the server's answers: `order.lines.0.name`. */
export function pathOf(parent: string, name: string | number): string {
  return parent === '' ? String(name) : `${parent}.${name}`;
}
