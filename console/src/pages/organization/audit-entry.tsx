import { useState } from 'react';
import type { AuditLogOut } from '../../../../src/audit/schema.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';

/** One line with actor, event and target; the details expand below it. */
export function AuditEntry({ entry }: { entry: AuditLogOut }) {
  const [open, setOpen] = useState(false);
  const actor = nameOf(entry.actor_metadata) ?? entry.actor_type.toLowerCase().replaceAll('_', ' ');
  const target = nameOf(entry.target_metadata);
  return (
    <div className="audit-entry">
      <div className="audit-line">
        <Badge tone={toneOf(entry.event_type)}>{entry.event_type}</Badge>
        <span className="grow breakable">
          <strong>{actor}</strong>
          {target && <span className="muted"> → {target}</span>}
        </span>
        <span className="small muted">
          <Time value={entry.created_at} />
        </span>
        <Button
          look="quiet"
          small
          icon={open ? 'down' : 'right'}
          iconOnly
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {`Details of ${entry.event_type}, entry ${entry.log_id}`}
        </Button>
      </div>
      {open && (
        <Facts
          facts={[
            ['Time', formatMoment(entry.created_at)],
            ['Entry', String(entry.log_id)],
            ...facts('Actor', entry.actor_metadata),
            ...facts('Target', { type: entry.target_type, ...entry.target_metadata }),
            ...facts('Event', entry.event_metadata),
            ...(entry.workspace_uuid ? [['Workspace', entry.workspace_uuid] as const] : []),
          ]}
        />
      )}
    </div>
  );
}

type Metadata = AuditLogOut['actor_metadata'];

function facts(title: string, metadata: Metadata): (readonly [string, string])[] {
  return Object.entries(metadata)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [`${title}: ${name.replaceAll('_', ' ')}`, String(value)]);
}

function nameOf(metadata: Metadata): string | undefined {
  for (const name of ['email', 'name', 'user_email', 'title', 'id', 'user_uuid', 'api_key_id', 'admin_api_key_id']) {
    const value = (metadata as Record<string, unknown>)[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function toneOf(event: string): Tone {
  if (/refused|failed/.test(event)) return 'danger';
  if (/delete|revoked|remove|archive|unshare/.test(event)) return 'warning';
  if (/creat|add|join|accepted/.test(event)) return 'success';
  return 'neutral';
}
