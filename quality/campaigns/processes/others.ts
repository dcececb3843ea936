import { answer } from '../../bench/processes/answer.ts';
import { watchOthers } from '../neighbours/watch-others.ts';

// The tenant that should notice nothing, in a process of its own: the attacker's own work must not delay its clock.
let end: (() => Promise<unknown>) | undefined;
answer({
  begin: (tenant: { url: string; key: string; model: string }) => {
    end = watchOthers(tenant);
  },
  end: () => end?.(),
});
