import { useEffect, useRef } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { type Answer, speedOf } from './answer.ts';
import type { Turn } from './setup.ts';
import { ToolResults } from './tool-results.tsx';
import type { Run } from './use-run.ts';

/** Scrolls with the stream unless the user has scrolled up. */
export function Transcript({ label, run }: { label: string; run: Run }) {
  const { turns, answers, arriving, error } = run.pane;
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
      className="playground-transcript"
      ref={box}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {turns.map((turn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are only appended.
        <TurnView key={at} turn={turn} answer={answers[at]} />
      ))}
      {arriving && <Said answer={arriving} arriving />}
      <ErrorNotice error={error} />
      {open.length > 0 && <ToolResults calls={open} onSend={run.answerCalls} />}
      {!arriving && (error !== undefined || last?.role === 'assistant') && (
        <div className="row">
          <Button small look="quiet" icon="refresh" onClick={run.retry}>
            {error === undefined ? 'Regenerate' : 'Try again'}
          </Button>
          {last?.role === 'assistant' && last.content !== '' && (
            <CopyButton small text={last.content} label="Copy response" />
          )}
        </div>
      )}
      <div className="visually-hidden" aria-live="polite">
        {arriving ? 'Response is streaming.' : last?.role === 'assistant' ? 'Response is complete.' : ''}
      </div>
    </ScrollBox>
  );
}

function TurnView({ turn, answer }: { turn: Turn; answer: Answer | undefined }) {
  if (turn.role === 'assistant' && answer) return <Said answer={answer} />;
  return (
    <div className={`playground-turn playground-${turn.role}`}>
      <h3>{turn.role === 'tool' ? `Result of ${turn.call.name}` : 'You'}</h3>
      <p className="playground-text">{turn.content}</p>
    </div>
  );
}

function Said({ answer, arriving = false }: { answer: Answer; arriving?: boolean }) {
  return (
    <div className="playground-turn playground-assistant">
      <h3 className="row">
        {answer.model || 'Response'}
        {answer.finishReason && answer.finishReason !== 'stop' && answer.finishReason !== 'tool_calls' && (
          <Badge tone="warning">{answer.finishReason === 'length' ? 'max tokens reached' : answer.finishReason}</Badge>
        )}
      </h3>
      {answer.thinking !== '' && (
        <details className="playground-more" open={arriving && answer.text === ''}>
          <summary>Reasoning</summary>
          <p className="playground-text muted">{answer.thinking}</p>
        </details>
      )}
      {answer.text !== '' && <Markdown text={answer.text} />}
      {answer.toolCalls.map((call) => (
        <CodeBlock key={call.id} title={`Calls ${call.name}`} code={pretty(call.arguments)} wrap />
      ))}
      <Measures answer={answer} arriving={arriving} />
    </div>
  );
}

function Measures({ answer, arriving }: { answer: Answer; arriving: boolean }) {
  const { usage, pieces, startedMs, firstMs, endedMs } = answer;
  const now = performance.now();
  const speed = speedOf(answer, now);
  const parts = [
    usage
      ? `${formatNumber(usage.prompt_tokens)} tokens in, ${formatNumber(usage.completion_tokens)} out`
      : pieces > 0 && `about ${formatNumber(pieces)} tokens out`,
    speed !== undefined && `${speed.toFixed(1)} tokens/s`,
    firstMs !== undefined && `first token after ${formatDuration(firstMs - startedMs)}`,
    !arriving && endedMs !== undefined && `${formatDuration(endedMs - startedMs)} total`,
  ].filter(Boolean);
  return (
    <div className="small muted numbers row">
      {arriving && <span className="spinner" aria-hidden="true" />}
      {parts.length > 0 ? parts.join(' · ') : arriving ? 'Waiting for the first token…' : ''}
    </div>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // Arguments that are not JSON are shown unchanged.
    return json;
  }
}
