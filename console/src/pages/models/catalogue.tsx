import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Pull } from '../../../../src/console/schema/models.ts';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import cardStyles from '../../ui/card.module.css';
import fieldStyles from '../../ui/field.module.css';
import { formatBytes } from '../../ui/format.ts';
import { Progress } from '../../ui/progress.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './models.module.css';
import { type CatalogueModel, modelsQuery, type ServedModel } from './queries.ts';
import { ServeButton } from './serve-button.tsx';
import { usePulls } from './use-pulls.ts';

/** Weights that this server can download and verify. */
export function Catalogue({
  catalogue,
  pulls,
  models,
  isOperator,
}: {
  catalogue: CatalogueModel[];
  pulls: Pull[];
  models: ServedModel[];
  isOperator: boolean;
}) {
  const followed = usePulls(pulls);
  if (catalogue.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="catalogue">
      <div>
        <h2 id="catalogue">Available for download</h2>
        <p className="muted">Open models that run in this process. Downloads continue when you leave the page.</p>
      </div>
      <ul className={styles.catalogue}>
        {catalogue.map((model) => (
          <li key={model.id} className={`${cardStyles.card} ${styles.catalogueItem}`}>
            <Entry
              model={model}
              pull={followed.get(model.id)}
              servedAs={models.find(({ weights }) => weights === model.id)?.id}
              isOperator={isOperator}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entry({
  model,
  pull,
  servedAs,
  isOperator,
}: {
  model: CatalogueModel;
  pull: Pull | undefined;
  servedAs: string | undefined;
  isOperator: boolean;
}) {
  const admin = isOrganizationAdmin(useSession());
  const client = useQueryClient();
  const toast = useToast();
  const fetching = useMutation({
    mutationFn: () => api.post<Pull>('/console/api/models/pull', { model: model.id }),
    onSuccess: () => client.invalidateQueries(modelsQuery),
    onError: toast.error,
  });
  const running = pull?.state === 'running';
  const installed = model.installed || pull?.state === 'done';
  const share = pull?.total_bytes ? pull.bytes / pull.total_bytes : undefined;
  return (
    <>
      <div className="row row-between">
        <h3 className="breakable">{model.id}</h3>
        <Badge tone={installed ? 'success' : 'neutral'}>{installed ? 'Installed' : model.purpose}</Badge>
      </div>
      <p className="muted grow">{model.summary}</p>
      <p className="small muted">
        {formatBytes(model.bytes)}
        {model.memory_bytes !== null && ` · ${formatBytes(model.memory_bytes)} memory`}
        {model.speed && ` · ${model.speed}`} · {model.licence}
      </p>
      {running && (
        <Progress
          label="Downloading"
          value={share}
          note={
            pull.total_bytes
              ? `${formatBytes(pull.bytes)} of ${formatBytes(pull.total_bytes)}`
              : formatBytes(pull.bytes)
          }
        />
      )}
      {pull?.state === 'failed' && <p className={`${fieldStyles.error} breakable`}>{pull.message}</p>}
      {installed && servedAs && (
        <p className="small">
          Served as{' '}
          <Link to="/models/$modelId" params={{ modelId: servedAs }}>
            {servedAs}
          </Link>
        </p>
      )}
      {installed && !servedAs && isOperator && <ServeButton model={model} />}
      {!installed && !running && (
        <div className="row">
          <Button
            small
            icon="download"
            disabled={!admin}
            {...(admin ? {} : { title: 'Only an administrator of the organization can download weights.' })}
            busy={fetching.isPending}
            onClick={() => fetching.mutate()}
          >
            {`Download ${model.id}`}
          </Button>
        </div>
      )}
    </>
  );
}
