import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConsoleHealth } from '../../../../src/console/schema/health.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import fieldStyles from '../../ui/field.module.css';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './home.module.css';
import { healthQuery } from './queries.ts';

const modelsShown = 6;
const tones: Record<ConsoleHealth['models'][number]['state'], Tone> = {
  ready: 'success',
  waiting: 'warning',
  failed: 'danger',
};

export function HealthCard() {
  const query = useQuery(healthQuery);
  const overall = query.isError ? (
    <Badge dot tone="danger">
      Unreachable
    </Badge>
  ) : (
    query.data && (
      <Badge dot tone={isWell(query.data) ? 'success' : 'warning'}>
        {isWell(query.data) ? 'Healthy' : 'Needs attention'}
      </Badge>
    )
  );
  return (
    <Card title="Health" actions={overall}>
      <Loaded query={query}>{(health) => <Details health={health} />}</Loaded>
    </Card>
  );
}

function Details({ health }: { health: ConsoleHealth }) {
  const { version, started_at, database, models, tasks, queues, failures } = health;
  const waits = queues.filter((queue) => queue.waiting > 0);
  const waiting = tasks.reduce((sum, task) => sum + task.waiting + task.running, 0);
  const dead = tasks.reduce((sum, task) => sum + task.dead, 0);
  // What needs attention is never among those that are left out.
  const shown = models.toSorted((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'));
  return (
    <>
      {failures.count > 0 && (
        <Notice tone="danger">
          {failures.count === 1 ? 'One request' : `${formatNumber(failures.count)} requests`} failed in the last{' '}
          {failures.minutes} minutes.{failures.last && <> The last one: {failures.last}</>}
        </Notice>
      )}
      <Facts
        facts={[
          ['Version', version],
          ['Running since', <Time key="since" value={started_at} />],
          [
            'Database',
            `${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, responds in ${database.latency_ms < 1 ? 'less than 1 ms' : formatDuration(database.latency_ms)}`,
          ],
          [
            'Background tasks',
            <span key="tasks" className="row">
              {formatNumber(waiting)} scheduled or running
              {dead > 0 && <Badge tone="danger">{formatNumber(dead)} failed</Badge>}
            </span>,
          ],
          ...waits.map(({ queue, waiting, waiting_organizations, oldest_wait_seconds }): [string, string] => [
            `Queue ${queue}`,
            `${formatNumber(waiting)} of ${countOf(waiting_organizations)} waiting, the first for ${formatDuration(oldest_wait_seconds * 1000)}`,
          ]),
        ]}
      />
      <div className="stack-tight">
        <h3>Models</h3>
        {models.length === 0 && <p className="muted">No models served yet.</p>}
        <ul className="stack-tight">
          {shown.slice(0, modelsShown).map(({ id, engine, state, detail }) => (
            <li key={id} className={`row row-between ${styles.healthModel}`}>
              <span className="clip" title={detail ?? engine}>
                {id} <span className="muted">{engine}</span>
              </span>
              <Badge dot tone={tones[state]}>
                {state}
              </Badge>
              {state === 'failed' && detail && <span className={`small ${fieldStyles.error} breakable`}>{detail}</span>}
            </li>
          ))}
        </ul>
        {models.length > modelsShown && <Link to="/models">All {models.length}</Link>}
      </div>
    </>
  );
}

function countOf(organizations: number): string {
  return `${formatNumber(organizations)} organization${organizations === 1 ? '' : 's'}`;
}

function isWell({ models, tasks, failures }: ConsoleHealth): boolean {
  return (
    failures.count === 0 && models.every(({ state }) => state !== 'failed') && tasks.every(({ dead }) => dead === 0)
  );
}
