import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBoundedBuffer } from './bounded-buffer.ts';

it('behaves like a list that drops its oldest items', () => {
  const command = fc.oneof(
    fc.constant({ kind: 'push' as const }),
    fc.record({ kind: fc.constant('take' as const), count: fc.nat(6) }),
    fc.record({ kind: fc.constant('takeAndPutBack' as const), count: fc.nat(6), pushes: fc.nat(6) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(command, { maxLength: 60 }), (lengthMax, commands) => {
      let dropped = 0;
      let next = 0;
      let model: number[] = [];
      let modelDropped = 0;
      const buffer = createBoundedBuffer<number>(lengthMax, (count) => {
        dropped += count;
      });
      const trim = () => {
        while (model.length > lengthMax) {
          model.shift();
          modelDropped++;
        }
      };
      const push = () => {
        buffer.push(next);
        model.push(next++);
        trim();
      };
      for (const step of commands) {
        if (step.kind === 'push') push();
        else {
          const taken = buffer.take(step.count);
          expect(taken).toEqual(model.splice(0, step.count));
          if (step.kind === 'takeAndPutBack') {
            for (let i = 0; i < step.pushes; i++) push();
            buffer.putBack(taken);
            model = [...taken, ...model];
            trim();
          }
        }
        expect([...buffer.items()]).toEqual(model);
        expect(buffer.length()).toBe(model.length);
        expect(dropped).toBe(modelDropped);
      }
    }),
  );
});
