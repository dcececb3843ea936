import { promptErrors } from './errors.ts';

/** A prompt by id or name; its newest version unless a number or an alias is given. */
export type Reference = { idOrName: string; version?: number; alias?: string };

const REFERENCE = /^prompt:([^@#]+)(?:@([^@#]+)|#([0-9]{1,10}))?$/;
const INT32_MAX = 2 ** 31 - 1;

/** The alias or version of this prompt that a model's name selects; undefined where it names something else. */
export function matchReference(
  model: string,
  { id, name }: { id?: string | undefined; name?: string | undefined },
): Omit<Reference, 'idOrName'> | undefined {
  const [, idOrName, alias, digits] = REFERENCE.exec(model) ?? [];
  if (idOrName === undefined || (idOrName !== name && idOrName !== id)) return undefined;
  return { ...(alias !== undefined && { alias }), ...(digits !== undefined && { version: Number(digits) }) };
}

/** `prompt:name`, `prompt:name@alias` or `prompt:name#3`. */
export function parseReference(model: string): Reference {
  const [, idOrName, alias, digits] = REFERENCE.exec(model) ?? [];
  const version = digits === undefined ? undefined : Number(digits);
  if (idOrName === undefined || (version !== undefined && version > INT32_MAX))
    throw promptErrors.prompt_reference_invalid(model);
  return { idOrName, ...(alias === undefined ? {} : { alias }), ...(version === undefined ? {} : { version }) };
}
