import { answer } from '../../bench/processes/answer.ts';
import { type Attack, attackFor, attacks, prepareAttacker } from '../neighbours/attack.ts';
import type { AttackOrder } from '../neighbours/send.ts';

// A tenant that keeps to the rules and harms its neighbours as far as they allow, in a process of its own.
answer({
  prepare: (order: AttackOrder) => prepareAttacker(order),
  attack: ({ name, order, atLeastMs }: { name: string; order: AttackOrder; atLeastMs: number }) =>
    attackFor(attacks[name] as Attack, order, atLeastMs),
});
