/** Who asks for a turn. Turns go round the organizations first, then round the keys of one. */
export type Caller = { organization: string; key: string };

/** The server's own work. */
export const NOBODY: Caller = { organization: '', key: '' };

/** `skip`: the next caller may pass. `stop`: nobody may, or this one might wait for ever. */
type Verdict = 'take' | 'skip' | 'stop';

/** What waits, in the order of its turns: of a key first in, first out. */
export class TurnLines<T> {
  readonly #organizations = new Map<string, Map<string, T[]>>();

  isEmpty(): boolean {
    return this.#organizations.size === 0;
  }

  push({ organization, key }: Caller, item: T): void {
    const lines = this.#organizations.get(organization) ?? new Map<string, T[]>();
    this.#organizations.set(organization, lines);
    const line = lines.get(key);
    if (line) line.push(item);
    else lines.set(key, [item]);
  }

  /** The first item that is taken; its key and its organization are last in the next round. */
  take(judge: (item: T, caller: Caller) => Verdict = () => 'take'): T | undefined {
    for (const [organization, lines] of this.#organizations)
      for (const [key, line] of lines) {
        const item = line[0] as T;
        const verdict = judge(item, { organization, key });
        if (verdict === 'stop') return undefined;
        if (verdict === 'skip') continue;
        line.shift();
        lines.delete(key);
        if (line.length > 0) lines.set(key, line);
        this.#organizations.delete(organization);
        if (lines.size > 0) this.#organizations.set(organization, lines);
        return item;
      }
    return undefined;
  }
}
