import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Abilities } from './abilities.tsx';
import { Catalogue } from './catalogue.tsx';
import { describeDevice } from './describe-device.ts';
import { describePrice } from './describe-price.ts';
import { ModelDialog } from './model-dialog.tsx';
import { ModelState } from './model-state.tsx';
import { type CatalogueModel, isDownloadable, managedQuery, modelsQuery, type ServedModel } from './queries.ts';

const pageSize = 25;
const aliasesShown = 3;

export function ModelsPage() {
  const query = useQuery(modelsQuery);
  const [isAdding, setAdding] = useState(false);
  const add = query.data?.is_operator && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      Add model
    </Button>
  );
  return (
    <Page title="Models" lead="Models on this server, with their engine and state." actions={add}>
      <Loaded query={query} lines={8}>
        {({ models, catalogue, pulls, currency, is_operator }) => (
          <>
            {is_operator && <Unserved />}
            <Served models={models} catalogue={catalogue} currency={currency} add={add} />
            <Catalogue catalogue={catalogue} pulls={pulls} models={models} isOperator={is_operator} />
            {isAdding && <ModelDialog currency={currency} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Models that were added and cannot be served, with the reason. */
function Unserved() {
  const { data = [] } = useQuery(managedQuery);
  return data
    .filter(({ problem }) => problem !== null)
    .map(({ id, problem }) => (
      <Notice key={id} tone="danger">
        <Link to="/models/$modelId" params={{ modelId: id }}>
          {id}
        </Link>{' '}
        is not served. {problem}
      </Notice>
    ));
}

type ServedProps = { models: ServedModel[]; catalogue: CatalogueModel[]; currency: string; add: ReactNode };

function Served({ models, catalogue, currency, add }: ServedProps) {
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
        <EmptyState icon="model" title={wanted ? 'No matching model' : 'No models served yet'} action={add}>
          Add one of a model server, or download one below. The operator can also write it into the configuration file.
        </EmptyState>
      ) : (
        <Table
          caption="Served models"
          rows={found.slice((page - 1) * pageSize, page * pageSize)}
          rowKey={({ id }) => id}
          columns={[
            { header: 'Model', cell: (model) => <Name model={model} /> },
            { header: 'Engine', low: true, cell: (model) => <Engine model={model} /> },
            {
              header: 'State',
              cell: (model) => <ModelState model={model} isDownloadable={isDownloadable(model, catalogue)} />,
            },
            { header: 'Price', low: true, cell: ({ price }) => describePrice(price, currency) },
            { header: 'Capabilities', low: true, cell: (model) => <Abilities model={model} /> },
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
      <Link to="/models/$modelId" params={{ modelId: id }}>
        <strong>{id}</strong>
      </Link>
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
    <div>
      <div>{engine}</div>
      {device && <div className="small muted">{describeDevice(device)}</div>}
      {device?.note && <div className="small muted">{device.note}</div>}
    </div>
  );
}
