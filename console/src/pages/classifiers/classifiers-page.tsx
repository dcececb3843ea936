import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { classifiersKey, classifiersQuery, trainingsQuery } from './queries.ts';
import { TrainDialog } from './train-dialog.tsx';
import { TrainingTable } from './training-table.tsx';
import { TryDialog } from './try-dialog.tsx';

export function ClassifiersPage() {
  const [isTraining, setTraining] = useState(false);
  const client = useQueryClient();
  const classifiers = useQuery(classifiersQuery);
  const trainings = useQuery(trainingsQuery);
  const made = trainings.data?.flatMap(({ classifier_id }) => classifier_id ?? []).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a training has made a model, models are read again.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: classifiersKey });
  }, [client, made]);
  const add = (
    <Button look="primary" icon="plus" onClick={() => setTraining(true)}>
      Train a classifier
    </Button>
  );
  return (
    <Page title="Classifiers" lead="Models that score texts by labels of yours." actions={add}>
      <Card flush>
        <Loaded query={classifiers} padded>
          {(cards) =>
            cards.length === 0 ? (
              <EmptyState icon="list" title="No classifier yet" action={add}>
                Upload a few dozen examples of each label: the topic of a ticket, the tone of a message, spam or not.
              </EmptyState>
            ) : (
              <ClassifierTable cards={cards} />
            )
          }
        </Loaded>
      </Card>
      <TrainingTable query={trainings} />
      {isTraining && <TrainDialog onClose={() => setTraining(false)} />}
    </Page>
  );
}

function ClassifierTable({ cards }: { cards: readonly ModelCard[] }) {
  const [tried, setTried] = useState<ModelCard>();
  const remove = useRemoval<ModelCard>({
    title: (card) => `Delete ${nameOf(card)}?`,
    body: 'Guardrails and judges that use it fail from then on.',
    action: 'Delete classifier',
    run: ({ id }) => api.delete(`/v1/models/${encodeURIComponent(id)}`),
    done: (card) => `${nameOf(card)} was deleted.`,
    reload: classifiersKey,
  });
  return (
    <>
      <Table
        caption="Classifiers"
        rows={cards}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Classifier',
            cell: (card) => (
              <div className="breakable">
                <strong>{nameOf(card)}</strong>
                {nameOf(card) !== card.id && <div className="muted">{card.id}</div>}
              </div>
            ),
          },
          { header: 'For', low: true, cell: (card) => (isOwn(card) ? 'This workspace' : 'All workspaces') },
          {
            header: 'Actions',
            kind: 'actions',
            cell: (card) => (
              <div className="row">
                <Button small onClick={() => setTried(card)}>
                  Try
                </Button>
                {isOwn(card) && (
                  <Button small look="danger" onClick={() => remove.ask(card)}>
                    Delete
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      {tried && <TryDialog card={tried} onClose={() => setTried(undefined)} />}
    </>
  );
}

const nameOf = ({ id, name }: ModelCard): string => name ?? id;
const isOwn = ({ type }: ModelCard): boolean => type === 'fine-tuned';
