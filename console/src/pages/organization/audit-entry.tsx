import { useState } from 'react';
import type { AuditLogOut } from '../../../../src/audit/schema.ts';
import type { useNames } from '../../api/names.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import styles from './organization.module.css';

/** One line with actor, event and target; the details expand below it. */
export function AuditEntry({ entry, names }: { entry: AuditLogOut; names: Names | undefined }) {
  const [open, setOpen] = useState(false);
  const actor = actorOf(entry, names);
  const target = nameOf(entry.target_metadata, names);
  return (
    <div className={styles.auditEntry}>
      <div className={styles.auditLine}>
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
            ...facts('Actor', entry.actor_metadata, names),
            ...facts('Target', { type: entry.target_type, ...entry.target_metadata }, names),
            ...facts('Event', entry.event_metadata, names),
            ...(entry.workspace_uuid ? [['Workspace', withName(entry.workspace_uuid, names)] as const] : []),
          ]}
        />
      )}
    </div>
  );
}

type Metadata = AuditLogOut['actor_metadata'];

type Names = ReturnType<typeof useNames>;

const IDS = ['user_uuid', 'api_key_id', 'admin_api_key_id', 'id', 'user_id', 'workspace_uuid'] as const;

/** The ids of an entry that may have names. */
export function idsOf(entry: AuditLogOut): string[] {
  const all = [entry.actor_metadata, entry.target_metadata, entry.event_metadata] as Record<string, unknown>[];
  // What the entry names already needs no look-up.
  const found = all.flatMap((metadata) =>
    IDS.filter((name) => name !== 'id' || !metadata.name).map((name) => metadata[name]),
  );
  return [...found, entry.workspace_uuid].filter((id): id is string => typeof id === 'string' && id !== '');
}

/** A key acts for its owner, so both are named. */
function actorOf({ actor_metadata, actor_type }: AuditLogOut, names: Names): string {
  const { api_key_id, user_uuid, email } = actor_metadata as Record<string, string | undefined>;
  if (!email && user_uuid && names) {
    const owner = names[user_uuid]?.name ?? 'deleted user';
    const key = api_key_id && names[api_key_id]?.name;
    return key ? `${owner}, ${key}` : owner;
  }
  return nameOf(actor_metadata, names) ?? actor_type.toLowerCase().replaceAll('_', ' ');
}

function withName(id: string, names: Names): string {
  const name = names?.[id]?.name;
  return name ? `${name} (${id})` : id;
}

function facts(title: string, metadata: Metadata, names: Names): (readonly [string, string])[] {
  return Object.entries(metadata)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [`${title}: ${name.replaceAll('_', ' ')}`, withName(String(value), names)]);
}

function nameOf(metadata: Metadata, names: Names): string | undefined {
  for (const name of ['email', 'name', 'user_email', 'title', ...IDS]) {
    const value = (metadata as Record<string, unknown>)[name];
    if (typeof value !== 'string' || value === '') continue;
    const known = names?.[value]?.name;
    return known ?? (names && value.startsWith('ag_') ? `deleted agent ${value}` : value);
  }
  return undefined;
}

function toneOf(event: string): Tone {
  if (/refused|failed/.test(event)) return 'danger';
  if (/delete|revoked|remove|archive|unshare/.test(event)) return 'warning';
  if (/creat|add|join|accepted/.test(event)) return 'success';
  return 'neutral';
}
