import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Time } from '../../ui/time.tsx';
import { type Health, healthQuery } from './queries.ts';

const modelsShown = 6;
const tones: Record<Health['models'][number]['state'], Tone> = {
  ready: 'success',
  fetching: 'accent',
  missing: 'warning',
  down: 'danger',
  unknown: 'neutral',
};

export function HealthCard() {
  const query = useQuery(healthQuery);
  const overall = query.isError ? (
    <Badge dot tone="danger">
      Not reached
    </Badge>
  ) : (
    query.data && (
      <Badge dot tone={isWell(query.data) ? 'success' : 'warning'}>
        {isWell(query.data) ? 'All well' : 'Needs a look'}
      </Badge>
    )
  );
  return (
    <Card title="Health" actions={overall}>
      <Loaded query={query}>{(health) => <Details health={health} />}</Loaded>
    </Card>
  );
}

function Details({ health: { version, started_at, database, models, tasks } }: { health: Health }) {
  const waiting = tasks.reduce((sum, task) => sum + task.waiting + task.running, 0);
  const dead = tasks.reduce((sum, task) => sum + task.dead, 0);
  return (
    <>
      <Facts
        facts={[
          ['Version', version],
          ['Running since', <Time key="since" value={started_at} />],
          [
            'Database',
            `${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, answers in ${formatDuration(database.latency_ms)}`,
          ],
          [
            'Background work',
            <span key="tasks" className="row">
              {formatNumber(waiting)} in progress or waiting
              {dead > 0 && <Badge tone="danger">{formatNumber(dead)} given up</Badge>}
            </span>,
          ],
        ]}
      />
      <div className="stack-tight">
        <h3>Models</h3>
        {models.length === 0 && <p className="muted">None is served yet.</p>}
        <ul className="stack-tight">
          {models.slice(0, modelsShown).map(({ id, engine, state, detail }) => (
            <li key={id} className="row row-between health-model">
              <span className="clip" title={detail ?? engine}>
                {id} <span className="muted">{engine}</span>
              </span>
              <Badge dot tone={tones[state]}>
                {state}
              </Badge>
            </li>
          ))}
        </ul>
        {models.length > modelsShown && <Link to="/models">All {models.length}</Link>}
      </div>
    </>
  );
}

function isWell({ models, tasks }: Health): boolean {
  return models.every(({ state }) => state !== 'down' && state !== 'missing') && tasks.every(({ dead }) => dead === 0);
}
