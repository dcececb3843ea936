import { badRequest } from '../kit/http/index.ts';

/** A prompt by id or name, at its newest version unless a number or an alias says otherwise. */
export type Reference = { idOrName: string; version?: number; alias?: string };

const PREFIX = 'prompt:';
const REFERENCE = /^prompt:([^@#]+)(?:@([^@#]+)|#([0-9]{1,10}))?$/;
const INT32_MAX = 2 ** 31 - 1;

/** Whether a model's name means a prompt. */
export function isReference(model: string): boolean {
  return model.startsWith(PREFIX);
}

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
  if (idOrName === undefined || (version !== undefined && version > INT32_MAX)) {
    throw badRequest(
      `Invalid model: ${model}. Write prompt:<name>, prompt:<name>@<alias> or prompt:<name>#<version>.`,
      {
        type: 'invalid_model',
        code: '1500',
      },
    );
  }
  return { idOrName, ...(alias === undefined ? {} : { alias }), ...(version === undefined ? {} : { version }) };
}
