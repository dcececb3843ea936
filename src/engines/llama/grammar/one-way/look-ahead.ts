import { type CharacterSet, NONE, overlaps, union } from './character-set.ts';
import { type Expression, listParts } from './expression.ts';
import type { Grammar } from './read-gbnf.ts';

/** What a part may begin with, and whether it may be empty. */
export type Beginning = { first: CharacterSet; isNullable: boolean };

export type LookAhead = {
  of(part: Expression): Beginning;
  /** What may follow a rule, wherever it is used. */
  after(rule: string): CharacterSet;
};

export function createLookAhead(rules: Grammar): LookAhead {
  const known = new Map<number, Beginning>();
  const inProgress = new Set<number>();
  const afterRules = new Map<string, CharacterSet>();
  const inherits = new Map<string, Set<string>>();
  for (const [name, body] of rules) walk(body, { first: NONE, isNullable: true }, name);
  spread();

  function of(part: Expression): Beginning {
    const found = known.get(part.id);
    if (found) return found;
    // A rule that begins with itself; the native parser refuses it.
    if (inProgress.has(part.id)) return { first: NONE, isNullable: false };
    inProgress.add(part.id);
    const made = look(part);
    inProgress.delete(part.id);
    known.set(part.id, made);
    return made;
  }

  function look(part: Expression): Beginning {
    switch (part.kind) {
      case 'empty':
        return { first: NONE, isNullable: true };
      case 'character':
        return { first: part.set, isNullable: false };
      case 'rule': {
        const body = rules.get(part.name);
        return body ? of(body) : { first: NONE, isNullable: false };
      }
      case 'repeat': {
        const body = of(part.body);
        return { first: body.first, isNullable: part.min === 0 || body.isNullable };
      }
      case 'either': {
        const options = part.options.map(of);
        return {
          first: options.reduce((all, { first }) => union(all, first), NONE),
          isNullable: options.some(({ isNullable }) => isNullable),
        };
      }
      case 'sequence': {
        let first = NONE;
        for (const item of listParts(part)) {
          const beginning = of(item);
          first = union(first, beginning.first);
          if (!beginning.isNullable) return { first, isNullable: false };
        }
        return { first, isNullable: true };
      }
    }
  }

  function walk(part: Expression, next: Beginning, within: string): void {
    switch (part.kind) {
      case 'rule': {
        afterRules.set(part.name, union(afterRules.get(part.name) ?? NONE, next.first));
        if (!next.isNullable) return;
        const heirs = inherits.get(within) ?? new Set();
        inherits.set(within, heirs.add(part.name));
        return;
      }
      case 'either':
        for (const option of part.options) walk(option, next, within);
        return;
      case 'repeat':
        walk(part.body, part.max > 1 ? { ...next, first: union(of(part.body).first, next.first) } : next, within);
        return;
      case 'sequence': {
        let following = next;
        for (const item of listParts(part).toReversed()) {
          walk(item, following, within);
          following = join(of(item), following);
        }
      }
    }
  }

  function spread(): void {
    const changed = new Set(inherits.keys());
    for (const name of changed) {
      changed.delete(name);
      const from = afterRules.get(name) ?? NONE;
      for (const heir of inherits.get(name) ?? []) {
        const before = afterRules.get(heir) ?? NONE;
        const now = union(before, from);
        if (now.join() === before.join()) continue;
        afterRules.set(heir, now);
        if (inherits.has(heir)) changed.add(heir);
      }
    }
  }

  return { of, after: (rule) => afterRules.get(rule) ?? NONE };
}

/** What a part begins with when another follows it. */
export function join(head: Beginning, next: Beginning): Beginning {
  if (!head.isNullable) return head;
  return { first: union(head.first, next.first), isNullable: next.isNullable };
}

/** Whether the next character always tells which of several parts it belongs to. */
export function areApart(parts: Beginning[]): boolean {
  if (parts.filter(({ isNullable }) => isNullable).length > 1) return false;
  let seen = NONE;
  for (const { first } of parts) {
    if (overlaps(seen, first)) return false;
    seen = union(seen, first);
  }
  return true;
}
