import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModerationResponse } from '../../../../src/guardrails/schema/moderations.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { AgentGuardrail } from './agent-guardrail.tsx';
import {
  type Category,
  categories,
  guardrailOf,
  isBlocked,
  names,
  startThresholds,
  type Thresholds,
} from './guardrail.ts';
import styles from './moderation.module.css';

const moderationModels = {
  queryKey: ['models', 'moderation'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }: { data?: ModelCard[] }) =>
    data.filter((card) => card.capabilities.moderation && !('alias_of' in card)).map(({ id }) => id),
};

export function ModerationPage() {
  const models = useQuery(moderationModels);
  const [chosen, setModel] = useState('');
  const model = chosen || models.data?.[0] || '';
  const [text, setText] = useState('');
  const [thresholds, setThresholds] = useState<Thresholds>(startThresholds);
  const judge = useMutation({
    mutationFn: () => api.post<ModerationResponse>('/v1/moderations', { model, input: [text] }),
  });
  const scores = judge.data?.results[0]?.category_scores;
  const blocking = scores ? isBlocked(scores, thresholds) : [];
  return (
    <Page title="Moderation" lead="Try a text, find the thresholds that fit, and put them before an agent.">
      {models.data?.length === 0 && (
        <Notice tone="warning">No model moderates here. The operator adds one, or enables the built-in one.</Notice>
      )}
      <Card title="Try a text">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            judge.mutate();
          }}
        >
          <TextAreaField label="Text" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
          <div className="row">
            {(models.data?.length ?? 0) > 1 && (
              <SelectField
                hideLabel
                label="Model"
                options={(models.data ?? []).map((id) => ({ value: id, label: id }))}
                value={model}
                onChange={setModel}
              />
            )}
            <Button type="submit" look="primary" busy={judge.isPending} disabled={text.trim() === '' || model === ''}>
              Check text
            </Button>
          </div>
          <ErrorNotice error={judge.error} />
          <div role="status">
            {scores && (
              <Notice tone={blocking.length > 0 ? 'danger' : 'success'}>
                {blocking.length > 0
                  ? `Blocked: ${blocking.map((name) => categories[name]).join(', ')}.`
                  : 'It passes: no score is above its threshold.'}
              </Notice>
            )}
          </div>
        </form>
      </Card>
      <Card title="Thresholds">
        <div className={styles.thresholds}>
          {names.map((name) => (
            <Threshold
              key={name}
              name={name}
              value={thresholds[name]}
              score={scores?.[name]}
              onChange={(value) => {
                const { [name]: _, ...others } = thresholds;
                setThresholds(value === undefined ? others : { ...others, [name]: value });
              }}
            />
          ))}
        </div>
      </Card>
      <AgentGuardrail guardrail={guardrailOf(model, thresholds)} onLoad={setThresholds} />
      <CodeBlock title="In a request: guardrails" code={JSON.stringify([guardrailOf(model, thresholds)], null, 2)} />
    </Page>
  );
}

function Threshold({
  name,
  value,
  score,
  onChange,
}: {
  name: Category;
  value: number | undefined;
  score: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const label = categories[name];
  const isOver = value !== undefined && score !== undefined && score >= value;
  return (
    <div className={styles.threshold}>
      <label>
        <input
          type="checkbox"
          checked={value !== undefined}
          onChange={({ target }) => onChange(target.checked ? 0.5 : undefined)}
        />{' '}
        {label}
      </label>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        aria-label={`Threshold of ${label}`}
        disabled={value === undefined}
        value={value ?? 0.5}
        onChange={({ target }) => onChange(Number(target.value))}
      />
      <span className="numbers small">{value === undefined ? 'off' : value.toFixed(2)}</span>
      <span className="numbers small">
        {score !== undefined && <Badge tone={isOver ? 'danger' : 'neutral'}>{score.toFixed(2)}</Badge>}
      </span>
    </div>
  );
}
