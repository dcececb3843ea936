import { LinkedList, type Node } from './linked-list.ts';

/** Who asks. Turns go round the organizations first, then round the keys of one. */
export type Tenant = {
  organization: string;
  key: string;
  /** Nobody waits for it: the organization's other units go first. */
  isBackground?: boolean;
};

/** The server's own work. */
export const OWN_WORK: Tenant = { organization: '', key: '', isBackground: true };

/** Why a unit may not even wait. */
export type Refused = {
  /** `tenant`: its own share of the waiting places is used up. `server`: all places are. */
  by: 'tenant' | 'server';
  /** Units that would start before it. */
  position: number;
  /** About how long they take. */
  retryAfterSeconds: number;
};

export type QueueStats = { running: number; waiting: number };
/** How many organizations wait, and for how long the first unit has. */
export type QueueWaits = { tenants: number; oldestMs: number };
export type WatchQueue = (stats: () => QueueStats, waits: () => QueueWaits) => (waitedMs: number) => void;

export type FairQueueOptions = {
  /** Units that run at the same time. */
  concurrency: number;
  /** Units of one organization that run at the same time. Default: one less, so that another's can start at once. */
  perTenantMax?: number | undefined;
  /** A lower limit for now; call `wake` when it rises. */
  limit?: () => number;
  /** Units that may wait. Default: any number. */
  waitingMax?: number;
  /**
   * Of one organization, and as many in the background; a key has at most three quarters of them. Default: a quarter of
   * `waitingMax`.
   */
  waitingPerTenantMax?: number | undefined;
  refuse(refused: Refused): Error;
  /** For metrics: takes the counts, and returns what notes how long a unit has waited. */
  watch?: WatchQueue | undefined;
};

/** A place among the running units. */
export type Slot = {
  /** Frees the place. Further calls do nothing. */
  leave(): void;
};

export type UnitOptions = {
  /** The next unit of work that has begun: it may always wait. */
  isContinued?: boolean;
};

export type FairQueue = {
  /** Runs `work` when its turn has come. A unit whose signal fires while it waits leaves at once. */
  run<T>(tenant: Tenant, signal: AbortSignal, work: () => Promise<T>, options?: UnitOptions): Promise<T>;
  /** The same for work that is no single function: the caller frees the place. */
  enter(tenant: Tenant, signal: AbortSignal, options?: UnitOptions): Promise<Slot>;
  /** How many waiting units would start before a new one of this tenant. */
  position(tenant: Tenant): number;
  /** Whether another tenant would get the place that a running unit of this one leaves now. */
  isContested(tenant: Tenant): boolean;
  /** Organizations with a unit that runs or waits. */
  tenants(): number;
  /** Looks again for units that may start. */
  wake(): void;
  stats(): QueueStats;
  /** Refuses what waits, and everything from now on. */
  close(reason: () => Error): void;
};

type Waiter = { line: Line; since: number; start(slot: Slot): void; fail(error: unknown): void };
/** The waiting units of one key, and its place in the ring while there are any. */
type Line = { key: string; lane: Lane; organization: Organization; waiters: LinkedList<Waiter>; turn: Node<Line> };
/** The keys that take turns; one lane for clients, one for background work. */
type Lane = { lines: Map<string, Line>; ring: LinkedList<Line>; waiting: number };
type Organization = {
  id: string;
  running: number;
  waiting: number;
  lanes: { interactive: Lane; background: Lane };
  /** Its place among the organizations that may start a unit. */
  turn: { level: LinkedList<Organization>; node: Node<Organization> } | undefined;
};

const KEY_SHARE = 0.75;
const TENANT_SHARE = 0.25;
const FIRST_GUESS_MS = 1000;
const SMOOTHING = 0.2;

/**
 * Lets a few units run at a time. The organization with the fewest running ones is next, those with equally many take turns,
 * and so do the keys of an organization. So a tenant's first unit waits for at most one unit of each other tenant.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, waitingMax = Number.POSITIVE_INFINITY, refuse } = options;
  const perTenantMax = Math.min(concurrency, options.perTenantMax ?? Math.max(1, concurrency - 1));
  const waitingPerTenantMax = options.waitingPerTenantMax ?? Math.max(1, Math.floor(waitingMax * TENANT_SHARE));
  const waitingPerKeyMax = Math.max(1, Math.ceil(waitingPerTenantMax * KEY_SHARE));
  const organizations = new Map<string, Organization>();
  /** Organizations that may start a unit, by how many they run. */
  const levels = Array.from({ length: perTenantMax }, () => new LinkedList<Organization>());
  const limit = options.limit ?? (() => concurrency);
  let running = 0;
  let waiting = 0;
  let averageMs = FIRST_GUESS_MS;
  let closed: (() => Error) | undefined;
  const stats = () => ({ running, waiting });
  const onStart = options.watch?.(stats, waits);

  function waits(): QueueWaits {
    let tenants = 0;
    let oldest = performance.now();
    const now = oldest;
    for (const organization of organizations.values()) {
      if (organization.waiting > 0) tenants++;
      for (const lane of Object.values(organization.lanes))
        for (const line of lane.lines.values()) oldest = Math.min(oldest, line.waiters.first()?.since ?? now);
    }
    return { tenants, oldestMs: now - oldest };
  }

  function find(id: string): Organization {
    const known = organizations.get(id);
    if (known) return known;
    const lanes = { interactive: createLane(), background: createLane() };
    const organization: Organization = { id, running: 0, waiting: 0, lanes, turn: undefined };
    organizations.set(id, organization);
    return organization;
  }

  /** Puts the organization where its counts belong. It keeps its turn if it is there already. */
  function place(organization: Organization): void {
    const { turn, id } = organization;
    const level = organization.waiting > 0 ? levels[organization.running] : undefined;
    if (turn?.level !== level) {
      if (turn) turn.level.remove(turn.node);
      organization.turn = level && { level, node: level.push(organization) };
    }
    if (organization.running === 0 && organization.waiting === 0) organizations.delete(id);
  }

  function begin(organization: Organization): Slot {
    const startedAt = performance.now();
    let isOpen = true;
    running++;
    organization.running++;
    place(organization);
    return {
      leave() {
        if (!isOpen) return;
        isOpen = false;
        averageMs += (performance.now() - startedAt - averageMs) * SMOOTHING;
        running--;
        organization.running--;
        place(organization);
        dispatch();
      },
    };
  }

  function dispatch(): void {
    while (waiting > 0 && running < limit()) {
      const organization = levels.find(({ size }) => size > 0)?.first();
      if (!organization) return;
      const { interactive, background } = organization.lanes;
      const line = (interactive.ring.first() ?? background.ring.first()) as Line;
      const waiter = line.waiters.first() as Waiter;
      line.lane.ring.remove(line.turn);
      line.turn = line.lane.ring.push(line);
      remove(waiter, line.waiters.shift.bind(line.waiters));
      onStart?.(performance.now() - waiter.since);
      waiter.start(begin(organization));
    }
  }

  function remove({ line }: Waiter, takeOut: () => void): void {
    takeOut();
    if (line.waiters.size === 0) {
      line.lane.ring.remove(line.turn);
      line.lane.lines.delete(line.key);
    }
    line.lane.waiting--;
    line.organization.waiting--;
    waiting--;
  }

  function admit({ organization, key, isBackground = false }: Tenant): void {
    const lane = organizations.get(organization)?.lanes[isBackground ? 'background' : 'interactive'];
    const inLine = lane?.lines.get(key)?.waiters.size ?? 0;
    const isOver = (lane?.waiting ?? 0) >= waitingPerTenantMax || inLine >= waitingPerKeyMax;
    if (!isOver && waiting < waitingMax) return;
    const position = positionOf({ organization, key, isBackground });
    const retryAfterSeconds = Math.max(1, Math.ceil((averageMs * (position + 1)) / concurrency / 1000));
    throw refuse({ by: isOver ? 'tenant' : 'server', position, retryAfterSeconds });
  }

  function enqueue(tenant: Tenant, signal: AbortSignal): Promise<Slot> {
    const organization = find(tenant.organization);
    const line = lineOf(organization, tenant);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        line,
        since: performance.now(),
        start(slot) {
          signal.removeEventListener('abort', leave);
          resolve(slot);
        },
        fail(error) {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      const node = line.waiters.push(waiter);
      const leave = () => {
        remove(waiter, () => line.waiters.remove(node));
        place(organization);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      line.lane.waiting++;
      organization.waiting++;
      waiting++;
      place(organization);
      // A limit that has risen meanwhile.
      dispatch();
    });
  }

  async function enter(tenant: Tenant, signal: AbortSignal, { isContinued = false }: UnitOptions = {}): Promise<Slot> {
    signal.throwIfAborted();
    if (closed) throw closed();
    const { organization } = tenant;
    const isFree = waiting === 0 && running < limit();
    if (!isFree || (organizations.get(organization)?.running ?? 0) >= perTenantMax) {
      if (!isContinued) admit(tenant);
      return enqueue(tenant, signal);
    }
    onStart?.(0);
    return begin(find(organization));
  }

  function positionOf({ organization, key, isBackground = false }: Tenant): number {
    const own = organizations.get(organization);
    let ahead = 0;
    if (own) {
      const { interactive, background } = own.lanes;
      const lane = isBackground ? background : interactive;
      const round = (lane.lines.get(key)?.waiters.size ?? 0) + 1;
      for (const line of lane.lines.values())
        ahead += Math.min(line.waiters.size, line.key === key ? round - 1 : round);
      if (isBackground) ahead += interactive.waiting;
    }
    let position = ahead;
    for (const other of organizations.values()) if (other !== own) position += Math.min(other.waiting, ahead + 1);
    return position;
  }

  return {
    async run(tenant, signal, work, unit) {
      const slot = await enter(tenant, signal, unit);
      try {
        if (closed) throw closed();
        return await work();
      } finally {
        slot.leave();
      }
    },
    enter,
    position: positionOf,
    isContested({ organization, key, isBackground = false }) {
      const own = organizations.get(organization);
      if (!own) return false;
      const sameLine = own.lanes[isBackground ? 'background' : 'interactive'].lines.get(key)?.waiters.size ?? 0;
      if (own.waiting > sameLine) return true;
      return levels.slice(0, own.running).some(({ size }) => size > 0);
    },
    tenants: () => organizations.size,
    wake: dispatch,
    stats,
    close(reason) {
      closed = reason;
      for (const organization of [...organizations.values()])
        for (const lane of Object.values(organization.lanes))
          for (const { waiters } of [...lane.lines.values()])
            while (waiters.size > 0) {
              const waiter = waiters.first() as Waiter;
              remove(waiter, () => waiters.shift());
              waiter.fail(reason());
              place(organization);
            }
    },
  };
}

function createLane(): Lane {
  return { lines: new Map(), ring: new LinkedList(), waiting: 0 };
}

function lineOf(organization: Organization, { key, isBackground = false }: Tenant): Line {
  const lane = organization.lanes[isBackground ? 'background' : 'interactive'];
  const known = lane.lines.get(key);
  if (known) return known;
  const line = { key, lane, organization, waiters: new LinkedList<Waiter>() } as Line;
  line.turn = lane.ring.push(line);
  lane.lines.set(key, line);
  return line;
}
