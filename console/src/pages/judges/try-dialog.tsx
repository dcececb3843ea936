import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { JudgeOutput } from '../../../../src/judges/schema.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { type Judge, judgePath } from './queries.ts';

export function TryDialog({ judge, onClose }: { judge: Judge; onClose: () => void }) {
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState('');
  const run = useMutation({
    mutationFn: () =>
      api.post<JudgeOutput>(`${judgePath(judge.id)}/live-judging`, {
        messages: [
          { role: 'user', content: question },
          { role: 'assistant', content: answer },
        ],
      }),
  });
  return (
    <Dialog
      title={`Try ${judge.name}`}
      wide
      onClose={onClose}
      onSubmit={() => run.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            type="submit"
            look="primary"
            icon="play"
            busy={run.isPending}
            disabled={question.trim() === '' || answer.trim() === ''}
          >
            Judge
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextAreaField
          label="Question"
          rows={3}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <TextAreaField label="Answer" rows={4} value={answer} onChange={(event) => setAnswer(event.target.value)} />
        <ErrorNotice error={run.error} />
        {run.data && (
          <div className="stack-tight" role="status">
            <div className="row">
              Verdict <Badge tone="accent">{run.data.answer}</Badge>
            </div>
            <p className="breakable">{run.data.analysis}</p>
          </div>
        )}
      </div>
    </Dialog>
  );
}
