import type { Query } from './find-marks.ts';

/** Queries that must return nothing on an intact database, whatever happened to its servers. */
const invariants: Record<string, string> = {
  'a stream of events has a gap, or another end than its counter says': `
    select s.stream as what from event_streams s join
      (select stream, count(*) as n, min(seq) as low, max(seq) as high from events group by stream) e on e.stream = s.stream
    where e.high <> s.head or e.n <> e.high - e.low + 1`,
  'versions of an object have a gap, or another end than the object says': `
    select o.name as what from versioned_objects o join
      (select object_id, count(*) as n, min(version) as low, max(version) as high from object_versions group by object_id) v
      on v.object_id = o.id
    where v.high <> o.latest_version or v.n <> v.high - v.low + 1 or v.low > 1`,
  'an object has no version': `
    select name as what from versioned_objects where id not in (select object_id from object_versions)`,
  'an agent has no object': 'select id as what from agents where object_id not in (select id from versioned_objects)',
  'a conversation has other entries than it counts': `
    select c.id as what from conversations c left join
      (select conversation_id, count(*) as n from conversation_entries group by conversation_id) e on e.conversation_id = c.id
    where c.entry_count <> coalesce(e.n, 0)`,
  'a conversation is held by a run that has ended': `
    select c.id as what from conversations c join conversation_runs r on r.id = c.run_id where r.state <> 'running'`,
  'a history of a run has a gap': `
    select a.run_id as what from workflow_history a where a.first_event_id > 1 and not exists
      (select 1 from workflow_history b where b.run_id = a.run_id and b.last_event_id = a.first_event_id - 1)`,
  'a run has another last event than its history': `
    select r.run_id as what from workflow_runs r join
      (select run_id, max(last_event_id) as high from workflow_history group by run_id) h on h.run_id = r.run_id
    where h.high <> r.last_event_id`,
  'a dataset has other records than it counts': `
    select d.name as what from datasets d left join
      (select dataset_id, count(*) as n from dataset_records group by dataset_id) r on r.dataset_id = d.id
    where d.record_count <> coalesce(r.n, 0)`,
  'a run of an evaluation has other records than it counts': `
    select e.id as what from evaluation_runs e left join
      (select run_id, count(*) as n from evaluation_records where status <> 'pending' group by run_id) r on r.run_id = e.id
    where e.completed_records + e.failed_records <> coalesce(r.n, 0)`,
  'a span is stored twice': 'select span_id as what from spans group by workspace_id, span_id having count(*) > 1',
  'a document is found twice': `
    select document_id as what from search_documents where is_live group by collection_no, document_id having count(*) > 1`,
  'a document that is found lacks chunks': `
    select d.document_id as what from search_documents d where d.is_live and d.chunks <>
      (select count(*) from search_chunks c where c.id >= d.id and c.id < d.id + d.reserved)`,
  'a vector has no chunk': `
    select v.id as what from search_vectors v left join search_chunks c on c.id = v.id where c.id is null`,
  'a task was given up': `select queue || ': ' || coalesce(last_error, '') as what from tasks where state = 'dead'`,
  'a chain of the audit log has a gap, or another end than its head says': `
    select h.organization_id as what from audit_heads h join
      (select organization_id, count(*) as n, min(log_id) as low, max(log_id) as high from audit_logs group by organization_id) l
      on l.organization_id = h.organization_id
    where l.high <> h.log_id or l.n <> l.high - l.low + 1`,
  'a workspace has nobody in it': `
    select name as what from workspaces where id not in (select workspace_id from workspace_members)`,
  'a person has no organization': `
    select email as what from users where id not in (select user_id from organization_members)
      and id not in (select id from service_accounts)`,
};

/** Describes what is wrong in the tables; empty when they are intact. */
export async function findDamage(query: Query): Promise<string[]> {
  const damage: string[] = [];
  for (const [sentence, text] of Object.entries(invariants)) {
    const rows = await query<{ what: string }>(text);
    damage.push(...rows.map(({ what }) => `${sentence}: ${what}`));
  }
  return damage;
}
