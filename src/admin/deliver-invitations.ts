import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Mailer } from '../kit/mail/index.ts';
import { createTaskRunner, createTasks } from '../kit/tasks/index.ts';
import type { PostInvitation, TenantService } from '../tenants/index.ts';
import { writeInvitation } from './write-invitation.ts';

const QUEUE = 'invitations';
const STOP_MS = 5000;
/** Retries for about two hours. */
const ATTEMPTS_MAX = 30;

type Payload = { invitation_id: string; base_url: string };

/** Queues the mail in the transaction of the invitation, so that it is sent even after a crash. */
export function createInvitationPost(database: Database, now: Clock): PostInvitation {
  const tasks = createTasks({ database, now });
  return async (tx, { id, baseUrl }) => {
    const payload: Payload = { invitation_id: id, base_url: baseUrl };
    await tasks.enqueue(tx, { queue: QUEUE, payload, attemptsMax: ATTEMPTS_MAX });
  };
}

/** Sends queued invitations of all processes, with retries. */
export function createInvitationDelivery(ports: {
  database: Database;
  tenants: TenantService;
  mailer: Mailer;
  now: Clock;
  log: Logger;
}) {
  const { database, tenants, mailer, now, log } = ports;

  async function deliver({ invitation_id, base_url }: Payload): Promise<void> {
    const invitation = await tenants.invitations.find(invitation_id);
    // It was withdrawn or accepted in the meantime.
    if (!invitation) return;
    await mailer.send(
      writeInvitation({
        email: invitation.email,
        organization: invitation.organization_name,
        language: invitation.language,
        expiresAt: invitation.expires_at,
        url: `${base_url}${invitation.link}`,
      }),
    );
  }

  const runner = createTaskRunner({
    database,
    now,
    log,
    queues: { [QUEUE]: { concurrency: 2, handler: ({ payload }) => deliver(payload as Payload) } },
  });
  return {
    start: () => runner.start(),
    async stop(): Promise<void> {
      await runner.stop(STOP_MS);
      mailer.close();
    },
  };
}
