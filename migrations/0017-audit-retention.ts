import type { Database, Migration } from '../src/kit/db/index.ts';

const APPEND_ONLY = 'audit_logs is append-only';
const FORWARD_ONLY = 'audit_checkpoints only move forward';

/** An entry may be deleted only once a checkpoint covers it, and a checkpoint never moves back. */
const TRIGGERS: Record<Database['kind'], string[]> = {
  sqlite: [
    'drop trigger audit_logs_no_delete',
    `create trigger audit_logs_no_delete before delete on audit_logs
      when not exists (
        select 1 from audit_checkpoints
        where organization_id = old.organization_id and log_id >= old.log_id
      )
      begin select raise(abort, '${APPEND_ONLY}'); end`,
    `create trigger audit_checkpoints_forward before update on audit_checkpoints
      when new.log_id <= old.log_id or new.organization_id <> old.organization_id
      begin select raise(abort, '${FORWARD_ONLY}'); end`,
    `create trigger audit_checkpoints_no_delete before delete on audit_checkpoints
      begin select raise(abort, '${FORWARD_ONLY}'); end`,
  ],
  postgres: [
    'drop trigger audit_logs_append_only on audit_logs',
    `create trigger audit_logs_append_only before update or truncate on audit_logs
      for each statement execute function refuse_audit_logs_change()`,
    `create function refuse_audit_logs_delete() returns trigger language plpgsql as
      $$ begin
        if exists (
          select 1 from audit_checkpoints where organization_id = old.organization_id and log_id >= old.log_id
        ) then return old; end if;
        raise exception '${APPEND_ONLY}';
      end $$`,
    `create trigger audit_logs_no_delete before delete on audit_logs
      for each row execute function refuse_audit_logs_delete()`,
    `create function refuse_audit_checkpoints_change() returns trigger language plpgsql as
      $$ begin
        if tg_op = 'UPDATE' and new.log_id > old.log_id and new.organization_id = old.organization_id
        then return new; end if;
        raise exception '${FORWARD_ONLY}';
      end $$`,
    `create trigger audit_checkpoints_forward before update or delete on audit_checkpoints
      for each row execute function refuse_audit_checkpoints_change()`,
  ],
};

export const auditRetention: Migration = {
  name: '0017-audit-retention',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }, kind) => [
    `create table audit_checkpoints (
      organization_id ${text} primary key,
      log_id ${bigint} not null,
      hash ${text} not null,
      created_at ${text} not null,
      signature ${text} not null
    )`,
    ...TRIGGERS[kind],
  ],
};
