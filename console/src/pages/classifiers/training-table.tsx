import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { accuracyOf, formatShare, type Training, trainingPath, trainingsKey } from './queries.ts';

const STATES: Readonly<Record<Training['status'], { label: string; tone: Tone }>> = {
  QUEUED: { label: 'Waiting', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'accent' },
  SUCCESS: { label: 'Done', tone: 'success' },
  FAILED: { label: 'Failed', tone: 'danger' },
};

export function TrainingTable({ query }: { query: UseQueryResult<Training[]> }) {
  const [shown, setShown] = useState<Training>();
  const client = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: ({ id }: Training) => api.delete(trainingPath(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: trainingsKey }),
    onError: toast.error,
  });
  if (query.data?.length === 0) return null;
  return (
    <Card flush title="Trainings">
      <Loaded query={query} padded>
        {(trainings) => (
          <Table
            caption="Trainings"
            rows={trainings}
            rowKey={({ id }) => id}
            columns={[
              {
                header: 'Training',
                cell: ({ name, message }) => (
                  <div className="breakable">
                    <strong>{name}</strong>
                    {message && <div className="muted">{message}</div>}
                  </div>
                ),
              },
              {
                header: 'State',
                cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>,
              },
              { header: 'Accuracy', cell: (training) => formatShare(accuracyOf(training) ?? null) },
              { header: 'Started', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
              {
                header: 'Actions',
                kind: 'actions',
                cell: (training) => (
                  <div className="row">
                    {training.figures && (
                      <Button small onClick={() => setShown(training)}>
                        Figures
                      </Button>
                    )}
                    <Button small onClick={() => remove.mutate(training)}>
                      {training.ended_at === null ? 'Stop' : 'Remove'}
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {shown && <FiguresDialog training={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

function FiguresDialog({ training: { name, figures }, onClose }: { training: Training; onClose: () => void }) {
  return (
    <Dialog title={`How ${name} does`} wide onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <div className="stack">
        <p className="muted">
          Learnt from {(figures?.examples ?? 0) - (figures?.held_out ?? 0)} examples, measured on {figures?.held_out}{' '}
          that it had not seen.
        </p>
        {Object.entries(figures?.targets ?? {}).map(([target, { accuracy, macro_f1, calibration_error, labels }]) => (
          <section key={target} className="stack-tight">
            <h3>{target}</h3>
            <p>
              Accuracy {formatShare(accuracy)}, macro F1 {formatShare(macro_f1)}, calibration error{' '}
              {formatShare(calibration_error)}
            </p>
            <Table
              caption={`Labels of ${target}`}
              rows={Object.entries(labels)}
              rowKey={([label]) => label}
              columns={[
                { header: 'Label', cell: ([label]) => <span className="breakable">{label}</span> },
                { header: 'Examples', cell: ([, { examples }]) => examples },
                { header: 'Precision', cell: ([, { precision }]) => formatShare(precision) },
                { header: 'Recall', cell: ([, { recall }]) => formatShare(recall) },
                { header: 'F1', cell: ([, { f1 }]) => formatShare(f1) },
              ]}
            />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
