import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Answer, askConversation, EMPTY_ANSWER } from '../../api/answer.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Sources } from '../../ui/sources.tsx';
import { Frame } from './frame.tsx';
import styles from './libraries.module.css';

const route = getRouteApi('/shell/libraries/$libraryId/ask');
const INSTRUCTIONS =
  'Answer from the documents of the library. Search it before you answer. Say so when they do not hold the answer.';

type Turn = { question: string; answer: Answer; error: unknown; isOver: boolean };

export function AskPage() {
  const { libraryId } = route.useParams();
  return <Frame libraryId={libraryId}>{({ name }) => <Ask key={libraryId} libraryId={libraryId} name={name} />}</Frame>;
}

function Ask({ libraryId, name }: { libraryId: string; name: string }) {
  const { data: models = [], isPending } = useQuery(chatModels);
  const [chosen, setChosen] = useState('');
  const model = chosen || (models[0]?.id ?? '');
  const [text, setText] = useState('');
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const isRunning = turns.at(-1)?.isOver === false;
  const conversationId = turns.findLast(({ answer }) => answer.conversationId)?.answer.conversationId;

  const ask = async (question: string) => {
    const controller = new AbortController();
    running.current = controller;
    const show = (part: Partial<Turn>) =>
      setTurns((all) => all.map((turn, at) => (at === all.length - 1 ? { ...turn, ...part } : turn)));
    // A question that failed is asked again, not twice.
    setTurns((all) => [
      ...all.filter(({ error }) => error === undefined),
      { question, answer: EMPTY_ANSWER, error: undefined, isOver: false },
    ]);
    try {
      const body = conversationId
        ? { inputs: question }
        : {
            inputs: question,
            model,
            name: `Asked ${name}`,
            instructions: INSTRUCTIONS,
            tools: [{ type: 'document_library', library_ids: [libraryId] }],
          };
      const path = conversationId ? `/v1/conversations/${conversationId}` : '/v1/conversations';
      for await (const answer of askConversation(path, body, controller.signal)) show({ answer });
      show({ isOver: true });
    } catch (error) {
      show({ isOver: true, ...(controller.signal.aborted ? {} : { error }) });
      if (!controller.signal.aborted) setText((typed) => typed || question);
    }
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const question = text.trim();
    if (question === '' || isRunning || model === '') return;
    setText('');
    void ask(question);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <Card
      title="Questions"
      actions={
        <>
          {conversationId && (
            <Link
              to="/conversations/$conversationId"
              params={{ conversationId }}
              className={buttonClass({ small: true })}
            >
              Open conversation
            </Link>
          )}
          {turns.length > 0 && (
            <Button small icon="trash" disabled={isRunning} onClick={() => setTurns([])}>
              Start over
            </Button>
          )}
        </>
      }
    >
      <div role="log" aria-label="Answers" className="stack">
        {turns.length === 0 && (
          <EmptyState icon="chat" title="Ask your documents">
            The model searches this library and cites what it used. A citation opens the document at its place.
          </EmptyState>
        )}
        {turns.map((turn, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only appended.
          <TurnView key={at} turn={turn} />
        ))}
      </div>
      <form className={styles.ask} onSubmit={submit}>
        <SelectField
          label="Model"
          value={model}
          disabled={conversationId !== undefined}
          options={models.length > 0 ? modelChoices(models) : [{ value: '', label: noModel(isPending) }]}
          onChange={setChosen}
        />
        <TextAreaField
          label="Question"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning ? (
          <Button look="danger" icon="stop" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" icon="arrow" disabled={text.trim() === '' || model === ''}>
            Ask
          </Button>
        )}
      </form>
    </Card>
  );
}

const noModel = (isPending: boolean) => (isPending ? 'Loading models…' : 'No chat model is served');

function TurnView({ turn: { question, answer, error, isOver } }: { turn: Turn }) {
  return (
    <article className="stack-tight">
      <h3 className="breakable">{question}</h3>
      {answer.searches.length > 0 && (
        <p className="small muted breakable">
          Searched for {answer.searches.map((query) => `“${query}”`).join(', ')}.
          {isOver && answer.sources.length === 0 && ' Nothing was found.'}
        </p>
      )}
      {answer.text !== '' && <Markdown text={answer.text} />}
      {!isOver && answer.text === '' && (
        <p className="muted">{answer.searches.length > 0 ? 'Reading what was found…' : 'Thinking…'}</p>
      )}
      <Sources sources={answer.sources} />
      <ErrorNotice error={error} />
    </article>
  );
}
