import { credentials } from './request.ts';

type Turn = { role: 'user' | 'assistant'; content: string };
type Handed = { model: string; system: string; turns: readonly Turn[] };

/** Per tab and workspace, so that one's messages are not another's. */
const keyOf = () => `tramontane.playground.${credentials.workspaceId ?? ''}`;

export function readPlaygroundDraft(): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf()) ?? 'null');
  } catch {
    return null;
  }
}

/** A full store keeps the earlier state. */
export function writePlaygroundDraft(draft: object): void {
  try {
    sessionStorage.setItem(keyOf(), JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden: the page works without it.
  }
}

/** What another page hands over; the playground shows it when it is opened. */
export function keepForPlayground(handed: Handed): void {
  writePlaygroundDraft({ handed });
}
