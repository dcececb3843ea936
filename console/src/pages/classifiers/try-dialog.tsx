import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClassificationResponse } from '../../../../src/classifiers/schema/classifications.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Progress } from '../../ui/progress.tsx';

export function TryDialog({ card, onClose }: { card: ModelCard; onClose: () => void }) {
  const [text, setText] = useState('');
  const run = useMutation({
    mutationFn: () => api.post<ClassificationResponse>('/v1/classifications', { model: card.id, input: text }),
  });
  return (
    <Dialog
      title={`Try ${card.name ?? card.id}`}
      wide
      onClose={onClose}
      onSubmit={() => run.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" icon="play" busy={run.isPending} disabled={text.trim() === ''}>
            Classify
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextAreaField label="Text" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
        <ErrorNotice error={run.error} />
        <div className="stack-tight" role="status">
          {Object.entries(run.data?.results[0] ?? {}).map(([target, { scores }]) => (
            <section key={target} className="stack-tight">
              <h3>{target}</h3>
              {Object.entries(scores)
                .sort(([, a], [, b]) => b - a)
                .map(([label, score]) => (
                  <Progress key={label} label={label} value={score} />
                ))}
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
