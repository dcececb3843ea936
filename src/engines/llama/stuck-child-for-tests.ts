import { existsSync, writeFileSync } from 'node:fs';
import { Refusal } from '../process/protocol.ts';
import { serveParent } from '../process/serve-parent.ts';

/** The first process is held up by its culprit; the second, which finds the mark of the first, answers at once. */
serveParent<{ mark: string }, 'culprit' | 'innocent' | 'begun', string>(async ({ mark }, host) => {
  const isSecond = existsSync(mark);
  writeFileSync(mark, '');
  return {
    async serve(request, give) {
      if (request === 'culprit') {
        setImmediate(() => host.stuck('a token without end'));
        throw new Refusal('grammar_too_slow', 'Simplify the schema.');
      }
      if (request === 'begun') give('so far');
      if (!isSecond) await new Promise(() => setInterval(() => undefined, 1000));
      give('an answer');
    },
  };
});
