import { useEffect, useRef } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { Sources } from '../../ui/sources.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import styles from './playground.module.css';
import { ReadAloud } from './read-aloud.tsx';
import { type Reply, speedOf } from './reply.ts';
import type { Turn } from './setup.ts';
import { ToolResults } from './tool-results.tsx';
import { useCost } from './use-cost.ts';
import type { Run } from './use-run.ts';
import { UserTurn } from './user-turn.tsx';

/** Scrolls with the stream unless the user has scrolled up. */
export function Transcript({ label, run, onBranch }: { label: string; run: Run; onBranch: (at: number) => void }) {
  const { turns, replies, arriving, error } = run.pane;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the content changes.
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [turns, arriving, error]);
  const last = turns.at(-1);
  const open = last?.role === 'assistant' && !arriving ? (last.calls ?? []) : [];
  return (
    <ScrollBox
      label={label}
      className={styles.transcript}
      ref={box}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {turns.map((turn, at) => (
        <TurnView
          // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its place.
          key={at}
          turn={turn}
          reply={replies[at]}
          onEdit={arriving ? undefined : (content) => run.edit(at, content)}
          onBranch={arriving ? undefined : () => onBranch(at)}
        />
      ))}
      {arriving && <AssistantTurn reply={arriving} arriving />}
      <ErrorNotice error={error} />
      {open.length > 0 && <ToolResults calls={open} onSend={run.sendResults} />}
      {!arriving && (error !== undefined || last?.role === 'assistant') && (
        <div className="row">
          <Button small look="quiet" icon="refresh" onClick={run.retry}>
            {error === undefined ? 'Regenerate' : 'Try again'}
          </Button>
          {last?.role === 'assistant' && last.content !== '' && (
            <>
              <CopyButton small text={last.content} label="Copy response" />
              <ReadAloud text={last.content} />
            </>
          )}
        </div>
      )}
      <div className="visually-hidden" aria-live="polite">
        {arriving ? 'Response is streaming.' : last?.role === 'assistant' ? 'Response is complete.' : ''}
      </div>
    </ScrollBox>
  );
}

type TurnProps = {
  turn: Turn;
  reply: Reply | undefined;
  onEdit: ((content: string) => void) | undefined;
  onBranch: (() => void) | undefined;
};

function TurnView({ turn, reply, onEdit, onBranch }: TurnProps) {
  if (turn.role === 'assistant' && reply) return <AssistantTurn reply={reply} />;
  if (turn.role === 'user') return <UserTurn turn={turn} onEdit={onEdit} onBranch={onBranch} />;
  return (
    <div className={`${styles.turn} ${turn.role === 'tool' ? styles.tool : ''}`}>
      <h3>{turn.role === 'tool' ? `Result of ${turn.call.name}` : 'Response'}</h3>
      <p className={styles.text}>{turn.content}</p>
    </div>
  );
}

function AssistantTurn({ reply, arriving = false }: { reply: Reply; arriving?: boolean }) {
  return (
    <div className={styles.turn} data-testid="answer">
      <h3 className="row">
        {reply.model || 'Response'}
        {reply.finishReason && reply.finishReason !== 'stop' && reply.finishReason !== 'tool_calls' && (
          <Badge tone="warning">{reply.finishReason === 'length' ? 'max tokens reached' : reply.finishReason}</Badge>
        )}
      </h3>
      {reply.thinking !== '' && (
        <details className={styles.more} open={arriving && reply.text === ''}>
          <summary>Reasoning</summary>
          <p className={`${styles.text} muted`}>{reply.thinking}</p>
        </details>
      )}
      {reply.searches.length > 0 && (
        <p className="small muted breakable">
          Searched for {reply.searches.map((query) => `“${query}”`).join(', ')}.
          {reply.finishReason && reply.sources.length === 0 && ' Nothing was found.'}
        </p>
      )}
      {reply.text !== '' && <Markdown text={reply.text} />}
      <Sources sources={reply.sources} />
      {reply.toolCalls.map((call) => (
        <CodeBlock key={call.id} title={`Calls ${call.name}`} code={prettyPrint(call.arguments)} wrap />
      ))}
      <Measures reply={reply} arriving={arriving} />
    </div>
  );
}

function Measures({ reply, arriving }: { reply: Reply; arriving: boolean }) {
  const { usage, pieces, startedMs, firstMs, endedMs } = reply;
  const now = performance.now();
  const speed = speedOf(reply, now);
  const cost = useCost(reply);
  const parts = [
    usage
      ? `${formatNumber(usage.prompt_tokens)} tokens in, ${formatNumber(usage.completion_tokens)} out`
      : pieces > 0 && `about ${formatNumber(pieces)} tokens out`,
    speed !== undefined && `${speed.toFixed(1)} tokens/s`,
    firstMs !== undefined && `first token after ${formatDuration(firstMs - startedMs)}`,
    !arriving && endedMs !== undefined && `${formatDuration(endedMs - startedMs)} total`,
    cost,
  ].filter(Boolean);
  return (
    <div className="small muted numbers row">
      {arriving && <Spinner />}
      {parts.length > 0 ? parts.join(' · ') : arriving ? 'Waiting for the first token…' : ''}
    </div>
  );
}

function prettyPrint(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // Arguments that are not JSON are shown unchanged.
    return json;
  }
}
