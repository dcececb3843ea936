import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { keepForPlayground } from '../../api/playground-draft.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Abilities } from './abilities.tsx';
import { Adapters } from './adapters.tsx';
import { describeDevice } from './describe-device.ts';
import { describePrice } from './describe-price.ts';
import { Figures } from './figures.tsx';
import { ModelDialog } from './model-dialog.tsx';
import { ModelState } from './model-state.tsx';
import {
  type CatalogueModel,
  isDownloadable,
  type ManagedModel,
  managedModelPath,
  managedQuery,
  modelsKey,
  modelsQuery,
  type ServedModel,
} from './queries.ts';
import { WeightsDialog } from './weights-dialog.tsx';

const crumbs = <Link to="/models">Models</Link>;
const sources = { file: 'Configuration file', builtin: 'Built in', database: 'Added here' } as const;

export function ModelPage() {
  const { modelId } = useParams({ from: '/shell/models/$modelId' });
  const query = useQuery(modelsQuery);
  const isOperator = query.data?.is_operator ?? false;
  const managed = useQuery({ ...managedQuery, enabled: isOperator });
  const stored = managed.data?.find(({ id, source }) => id === modelId && source === 'database');
  return (
    <Loaded query={query} lines={8}>
      {({ models, catalogue, currency }) => {
        const model = models.find(({ id }) => id === modelId);
        if (model) return <ModelView {...{ model, models, catalogue, stored, currency, isOperator }} />;
        return (
          <Page title={modelId} crumbs={crumbs} actions={stored && <Actions stored={stored} currency={currency} />}>
            <Card>
              <EmptyState icon="model" title="Not served">
                {stored?.problem ?? 'There is no model of this name. It may have been removed.'}
              </EmptyState>
            </Card>
          </Page>
        );
      }}
    </Loaded>
  );
}

type View = {
  model: ServedModel;
  models: ServedModel[];
  catalogue: CatalogueModel[];
  stored: ManagedModel | undefined;
  currency: string;
  isOperator: boolean;
};

function ModelView({ model, models, catalogue, stored, currency, isOperator }: View) {
  const navigate = useNavigate();
  const { device } = model;
  const isChat = model.capabilities.completion_chat === true;
  const tryIt = () => {
    keepForPlayground({ model: model.id, system: '', turns: [] });
    void navigate({ to: '/playground' });
  };
  return (
    <Page
      title={model.name ?? model.id}
      lead={model.description}
      crumbs={crumbs}
      actions={
        <>
          {isChat && (
            <Button look="primary" icon="play" onClick={tryIt}>
              Try
            </Button>
          )}
          {stored && <Actions stored={stored} currency={currency} />}
        </>
      }
    >
      <Figures model={model.id} />
      <div className="columns">
        <Card title="Model">
          <Facts
            facts={[
              ['Name in requests', <code key="id">{model.id}</code>],
              ['State', <ModelState key="state" model={model} isDownloadable={isDownloadable(model, catalogue)} />],
              ['Context', `${formatNumber(model.max_context_length)} tokens`],
              ['Price', describePrice(model.price, currency)],
              ['Limits', describeLimits(model.limits)],
              ['Abilities', <Abilities key="able" model={model} />],
              ...(model.aliases.length > 0 ? [['Also called', model.aliases.join(', ')] as const] : []),
              ...(model.base ? [['Made from', model.base] as const] : []),
            ]}
          />
        </Card>
        <Card title="Where it runs">
          <Facts
            facts={[
              ['Engine', model.engine],
              ['Comes from', model.source ? sources[model.source] : 'This workspace'],
              ...(model.weights ? [['Weights', model.weights] as const] : []),
              ...(device ? [['Runs on', describeDevice(device)] as const] : []),
              ...(stored?.targets ?? []).map(
                ({ url, has_api_key }, index) =>
                  [index === 0 ? 'Server' : `Fallback ${index}`, `${url}${has_api_key ? ', with a key' : ''}`] as const,
              ),
            ]}
          />
          {model.source === 'file' && (
            <Notice>
              The operator changes this model in the configuration file, which goes before what is added here.
            </Notice>
          )}
        </Card>
      </div>
      {model.engine === 'llama' && !model.base && <Adapters {...{ model, models, isOperator }} />}
    </Page>
  );
}

/** Only of a model that was added here. */
function Actions({ stored, currency }: { stored: ManagedModel; currency: string }) {
  const [isEditing, setEditing] = useState(false);
  const ChangeDialog = stored.engine === 'upstream' ? ModelDialog : WeightsDialog;
  const navigate = useNavigate();
  const remove = useRemoval({
    title: () => `Remove ${stored.id}?`,
    body: 'Requests that name it are refused from then on. Its key is deleted with it.',
    action: 'Remove model',
    run: () => api.delete(managedModelPath(stored.id)),
    done: () => `${stored.id} was removed.`,
    leave: () => navigate({ to: '/models' }),
    reload: modelsKey,
  });
  return (
    <>
      <Button icon="edit" onClick={() => setEditing(true)}>
        Change
      </Button>
      <Button icon="trash" busy={remove.isPending} onClick={() => remove.ask()}>
        Remove
      </Button>
      {isEditing && (
        <ChangeDialog
          model={stored}
          currency={currency}
          onClose={() => setEditing(false)}
          onSaved={(modelId) => void navigate({ to: '/models/$modelId', params: { modelId }, replace: true })}
        />
      )}
    </>
  );
}

function describeLimits({ requests_per_minute, tokens_per_minute }: ServedModel['limits']): string {
  const limits = [
    ...(requests_per_minute === null ? [] : [`${formatNumber(requests_per_minute)} requests`]),
    ...(tokens_per_minute === null ? [] : [`${formatNumber(tokens_per_minute)} tokens`]),
  ];
  return limits.length > 0 ? `${limits.join(' and ')} per minute` : 'None of its own';
}
