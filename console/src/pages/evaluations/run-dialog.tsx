import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { datasetsQuery } from '../../api/datasets.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import {
  estimateQuery,
  evaluationsKey,
  judgeChoicesQuery,
  makeEvaluation,
  type Project,
  projectsQuery,
  startRun,
} from './queries.ts';
import { CHECKS, EMPTY_DRAFT, type RunDraft, type RunProblems, readRun } from './run-draft.ts';
import { formatCost } from './scores.ts';
import { SystemFields } from './system-fields.tsx';

const DATASETS = 100;

/** Starts a run; what it would cost is shown as soon as enough is chosen. */
export function RunDialog({ evaluationId, onClose }: { evaluationId: string | undefined; onClose: () => void }) {
  const query = useQuery(projectsQuery);
  return (
    <Loaded query={query}>
      {(projects) => <RunForm projects={projects} evaluationId={evaluationId} onClose={onClose} />}
    </Loaded>
  );
}

type Props = { projects: readonly Project[]; evaluationId: string | undefined; onClose: () => void };

function RunForm({ projects, evaluationId, onClose }: Props) {
  const known = projects.flatMap(({ evaluations }) => evaluations);
  const first = known.find(({ id }) => id === evaluationId) ?? known[0];
  const [draft, setDraft] = useState<RunDraft>({
    ...EMPTY_DRAFT,
    evaluation: first?.slug ?? '',
    project: projects[0]?.name ?? 'Evaluations',
  });
  const [problems, setProblems] = useState<RunProblems>({});
  const { data: datasets } = useQuery(datasetsQuery(1, DATASETS));
  const { data: judges = [] } = useQuery(judgeChoicesQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const set = (part: Partial<RunDraft>) => setDraft({ ...draft, ...part });
  const start = useMutation({
    mutationFn: async () => {
      const { request } = readRun(draft);
      if (!request) throw new Error('The form is not complete.');
      const slug = draft.evaluation || (await makeEvaluation(projects, draft.project.trim(), draft.name.trim()));
      return startRun(slug, request);
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: evaluationsKey });
      onClose();
      await navigate({ to: '/evaluations/$runId', params: { runId: id } });
    },
    // What was made before the failure is there, and the next attempt takes it.
    onError: () => client.invalidateQueries({ queryKey: projectsQuery.queryKey }),
  });
  const submit = () => {
    const found = readRun(draft).problems;
    if (draft.evaluation === '' && draft.name.trim() === '') found.name = 'Give the evaluation a name.';
    if (draft.evaluation === '' && draft.project.trim() === '') found.project = 'Give the project a name.';
    setProblems(found);
    if (Object.keys(found).length === 0) start.mutate();
  };
  return (
    <EntityDialog title="New run" wide action="Start run" save={start} icon="play" onSave={submit} onClose={onClose}>
      <div className="columns">
        <SelectField
          label="Evaluation"
          value={draft.evaluation}
          options={[
            { value: '', label: 'New evaluation' },
            ...projects.flatMap(({ name: group, evaluations }) =>
              evaluations.map(({ slug, name }) => ({ value: slug, label: name, group })),
            ),
          ]}
          onChange={(evaluation: string) => set({ evaluation })}
        />
        <SelectField
          label="Dataset"
          error={problems.dataset}
          value={draft.dataset}
          options={[
            { value: '', label: 'Choose a dataset' },
            ...(datasets?.results ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(dataset: string) => set({ dataset })}
        />
      </div>
      {draft.evaluation === '' && (
        <div className="columns">
          <TextField
            label="Name of the evaluation"
            error={problems.name}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <TextField
            label="Project"
            error={problems.project}
            value={draft.project}
            onChange={(event) => set({ project: event.target.value })}
          />
        </div>
      )}
      <SystemFields draft={draft} problems={problems} onChange={set} />
      <fieldset className="stack-tight">
        <legend className={fieldStyles.label}>Scored by</legend>
        {judges.map(({ id, name, description }) => (
          <CheckField
            key={id}
            label={name}
            hint={description}
            checked={draft.judges.includes(id)}
            onChange={() => set({ judges: toggled(draft.judges, id) })}
          />
        ))}
        {CHECKS.map(({ value, label }) => (
          <CheckField
            key={value}
            label={label}
            checked={draft.checks.includes(value)}
            onChange={() => set({ checks: toggled(draft.checks, value) })}
          />
        ))}
        {problems.evaluators && <div className={fieldStyles.error}>{problems.evaluators}</div>}
      </fieldset>
      <Estimate draft={draft} slug={draft.evaluation || known[0]?.slug} />
    </EntityDialog>
  );
}

const toggled = <T,>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];

/** The API estimates for an evaluation that exists; any of them gives the same figures. */
function Estimate({ draft, slug }: { draft: RunDraft; slug: string | undefined }) {
  const { request } = readRun(draft);
  const query = useQuery(estimateQuery(slug, request));
  if (!request) return null;
  if (slug === undefined)
    return <p className="muted">What it will cost is shown on the page of the run, where it can be stopped.</p>;
  if (query.error) return <ErrorNotice error={query.error} />;
  if (!query.data) return null;
  const { records, requests, input_tokens, output_tokens, cost } = query.data;
  return (
    <p role="status">
      {formatNumber(records)} records, {formatNumber(requests)} requests, about{' '}
      {formatNumber(input_tokens + output_tokens)} tokens. Estimated cost <strong>{formatCost(cost)}</strong>.
    </p>
  );
}
