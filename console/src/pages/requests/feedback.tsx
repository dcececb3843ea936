import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Segments } from '../../ui/segments.tsx';
import { feedbackQuery, type Span, spanPath } from './queries.ts';

const RATINGS = [
  { value: '', label: 'No opinion' },
  { value: 'up', label: 'Good' },
  { value: 'down', label: 'Bad' },
] as const;
type Rating = (typeof RATINGS)[number]['value'];

export function Feedback({ span }: { span: Span }) {
  const query = useQuery(feedbackQuery(span.trace_id, span.span_id));
  const { user } = useSession();
  return (
    <Card title="Feedback">
      <Loaded query={query}>
        {(all) => {
          const mine = all.find(({ user_id }) => user_id === user.id);
          return (
            <>
              {all
                .filter((one) => one !== mine)
                .map(({ user_id, rating, note }) => (
                  <p key={user_id}>
                    <Badge tone={rating === 'down' ? 'danger' : 'success'}>{rating === 'down' ? 'Bad' : 'Good'}</Badge>{' '}
                    {note}
                  </p>
                ))}
              <Mine key={mine?.updated_at} span={span} rating={mine?.rating ?? ''} note={mine?.note ?? ''} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Mine({ span, rating: given, note: noted }: { span: Span; rating: Rating; note: string }) {
  const [rating, setRating] = useState<Rating>(given);
  const [note, setNote] = useState(noted);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      api.put(`${spanPath(span.trace_id, span.span_id)}/feedback`, {
        rating: rating || null,
        note: note.trim() || null,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: feedbackQuery(span.trace_id, span.span_id).queryKey }),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="row">
        <Segments label="Rating" options={RATINGS} value={rating} onChange={setRating} />
      </div>
      <TextAreaField label="Note" rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
      <ErrorNotice error={save.error} />
      <div className="row row-end">
        <Button type="submit" busy={save.isPending} disabled={rating === given && note.trim() === noted}>
          Save feedback
        </Button>
      </div>
    </form>
  );
}
