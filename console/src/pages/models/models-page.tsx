import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Catalogue } from './catalogue.tsx';
import { describeDevice } from './describe-device.ts';
import { modelsQuery, type ServedModel } from './queries.ts';

const pageSize = 25;
const aliasesShown = 3;
const states: Record<ServedModel['state'], { label: string; tone: Tone }> = {
  ready: { label: 'Ready', tone: 'success' },
  waiting: { label: 'Waiting for weights', tone: 'warning' },
  failed: { label: 'Failed', tone: 'danger' },
};

export function ModelsPage() {
  const query = useQuery(modelsQuery);
  return (
    <Page title="Models" lead="Models on this server, with their engine and state.">
      <Loaded query={query} lines={8}>
        {({ models, catalogue, pulls }) => (
          <>
            <Served models={models} />
            <Catalogue catalogue={catalogue} pulls={pulls} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Served({ models }: { models: ServedModel[] }) {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = models.filter(({ id, aliases }) =>
    [id, ...aliases].some((name) => name.toLowerCase().includes(wanted)),
  );
  return (
    <Card
      flush
      title="Served"
      actions={
        models.length > 5 && (
          <SearchField
            label="Search by name"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setPage(1);
            }}
          />
        )
      }
    >
      {found.length === 0 ? (
        <EmptyState icon="model" title={wanted ? 'No matching model' : 'No models served yet'}>
          Download one below and add it to the configuration file, or point the file at an OpenAI-compatible server.
        </EmptyState>
      ) : (
        <Table
          caption="Served models"
          rows={found.slice((page - 1) * pageSize, page * pageSize)}
          rowKey={({ id }) => id}
          columns={[
            { header: 'Model', cell: (model) => <Name model={model} /> },
            { header: 'Engine', low: true, cell: (model) => <Engine model={model} /> },
            { header: 'State', cell: (model) => <State model={model} /> },
            { header: 'Capabilities', low: true, cell: (model) => <Capabilities model={model} /> },
          ]}
        />
      )}
      <Pager page={page} onPage={setPage} pageSize={pageSize} total={found.length} />
    </Card>
  );
}

function Name({ model: { id, aliases, weights } }: { model: ServedModel }) {
  return (
    <div className="breakable">
      <strong>{id}</strong>
      {aliases.length > 0 && <Aliases aliases={aliases} />}
      {weights && <div className="small muted">weights {weights}</div>}
    </div>
  );
}

/** Shows the first few aliases and collapses the rest. */
function Aliases({ aliases }: { aliases: string[] }) {
  const [first, rest] = [aliases.slice(0, aliasesShown), aliases.slice(aliasesShown)];
  if (rest.length === 0) return <div className="small muted">also {first.join(', ')}</div>;
  return (
    <details className="small muted">
      <summary>
        also {first.join(', ')} and {rest.length} more
      </summary>
      {rest.join(', ')}
    </details>
  );
}

/** The engine, and what it computes with once it is loaded. */
function Engine({ model: { engine, device } }: { model: ServedModel }) {
  return (
    <div className="breakable">
      <div>{engine}</div>
      {device && <div className="small muted">{describeDevice(device)}</div>}
      {device?.note && <div className="small muted">{device.note}</div>}
    </div>
  );
}

function State({ model: { state, detail } }: { model: ServedModel }) {
  return (
    <>
      <Badge dot tone={states[state].tone}>
        {states[state].label}
      </Badge>
      {detail && <div className="small muted breakable model-detail">{detail}</div>}
    </>
  );
}

function Capabilities({ model: { capabilities } }: { model: ServedModel }) {
  const able = Object.entries(capabilities).filter(([, yes]) => yes);
  return (
    <div className="row">
      {able.map(([name]) => (
        <Badge key={name}>{name.replace(/^completion_/, '').replaceAll('_', ' ')}</Badge>
      ))}
    </div>
  );
}
