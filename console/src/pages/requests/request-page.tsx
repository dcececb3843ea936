import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keepForPlayground } from '../../api/playground-draft.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatMoment, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Named } from '../../ui/named.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { AddToDataset } from './add-to-dataset.tsx';
import { ContentsDialog } from './contents-dialog.tsx';
import { Feedback } from './feedback.tsx';
import { costOf, durationOf, firstTokenOf, statusOf } from './measures.ts';
import { MessageList } from './message-list.tsx';
import { readInstructions, readMessages, textOf } from './messages.ts';
import { contentsQuery, type Span, spanQuery, traceQuery } from './queries.ts';
import { toRecord } from './to-record.ts';
import { Waterfall } from './waterfall.tsx';

const route = getRouteApi('/shell/requests/$traceId/$spanId');

export function RequestPage() {
  const { traceId, spanId } = route.useParams();
  const query = useQuery(spanQuery(traceId, spanId));
  return <Loaded query={query}>{(span) => <Shown key={spanId} span={span} />}</Loaded>;
}

function Shown({ span }: { span: Span }) {
  const trace = useQuery(traceQuery(span.trace_id));
  const isModel = span.operation_name === 'chat' && span.request_model !== '';
  const record = toRecord(span);
  return (
    <Page
      title={span.span_name}
      lead={formatMoment(span.start_time)}
      crumbs={<Link to="/requests">Requests</Link>}
      actions={
        isModel && (
          <>
            {record && <AddToDataset record={record} />}
            <OpenInPlayground span={span} />
          </>
        )
      }
    >
      {span.status_code === 'Error' && (
        <Notice tone="danger">
          {[span.error_type, span.status_message].filter(Boolean).join(': ') || 'This request failed.'}
        </Notice>
      )}
      <Card>
        <Facts facts={factsOf(span)} />
      </Card>
      <Card title="Messages">
        <Contents span={span} />
      </Card>
      <Card title="Timing">
        <Loaded query={trace}>
          {({ results, next }) => (
            <>
              <Waterfall spans={results.length > 0 ? results : [span]} current={span.span_id} />
              {next && <p className="small muted">The first {results.length} spans of this trace are shown.</p>}
            </>
          )}
        </Loaded>
      </Card>
      <Feedback span={span} />
      <Card>
        <details>
          <summary>Raw JSON</summary>
          <CodeBlock title="Span" code={JSON.stringify(span, null, 2)} />
        </details>
      </Card>
    </Page>
  );
}

function factsOf(span: Span): (readonly [string, React.ReactNode])[] {
  const cost = costOf(span);
  const firstToken = firstTokenOf(span);
  const attributes = span.span_attributes;
  const when = (name: string, value: React.ReactNode) => (value ? [[name, value] as const] : []);
  return [
    [
      'Status',
      <Badge key="status" tone={span.status_code === 'Error' ? 'danger' : 'success'} dot>
        {statusOf(span)}
      </Badge>,
    ],
    ...when('Model asked for', span.request_model),
    ...when('Model that served', span.response_model !== span.request_model && span.response_model),
    ...when('Prompt', span.prompt_name),
    ...when('Tool', span.tool_name),
    ['Took', durationOf(span)],
    ...when('First token after', firstToken),
    [
      'Tokens',
      `${formatNumber(span.usage_input_tokens)} in, ${formatNumber(span.usage_output_tokens)} out${
        span.usage_cache_read_input_tokens > 0
          ? `, ${formatNumber(span.usage_cache_read_input_tokens)} of the input from the cache`
          : ''
      }`,
    ],
    ...when('Cost', cost),
    ...when('Agent', span.agent_name || span.agent_id),
    ...when(
      'Conversation',
      span.conversation_id && (
        <Link to="/conversations/$conversationId" params={{ conversationId: span.conversation_id }}>
          Open conversation
        </Link>
      ),
    ),
    ...when('Workflow', span.workflow_name),
    ...when('Finish reason', span.response_finish_reasons.join(', ')),
    ...when('Request', attributes['tramontane.request_id'] && <code>{attributes['tramontane.request_id']}</code>),
    ...when('API key', attributes['tramontane.key_id'] && <Named id={attributes['tramontane.key_id']} what="key" />),
  ];
}

function Contents({ span }: { span: Span }) {
  const [isSetting, setSetting] = useState(false);
  const settings = useQuery(contentsQuery);
  const input = readMessages(span.input_messages);
  const output = readMessages(span.output_messages);
  const instructions = readInstructions(span.system_instructions);
  const hasTool = span.tool_call_arguments !== '' || span.tool_call_result !== '';
  if (input.length + output.length === 0 && instructions === '' && !hasTool)
    return (
      <div className="stack">
        <p className="muted">
          {settings.data?.enabled
            ? 'The messages of this request were not kept: it asked for that, was not sampled, is older than they are kept, or was made before they were.'
            : settings.data?.allowed === false
              ? 'The operator of this server does not allow messages to be kept.'
              : 'This workspace does not keep messages. Switch it on to see those of later requests.'}
        </p>
        {settings.data && !settings.data.enabled && settings.data.allowed && (
          <div className="row">
            <Button onClick={() => setSetting(true)}>Keep messages</Button>
          </div>
        )}
        {isSetting && <ContentsDialog onClose={() => setSetting(false)} />}
      </div>
    );
  return (
    <div className="stack">
      {instructions !== '' && <CodeBlock title="System prompt" code={instructions} wrap />}
      <MessageList label="Input" messages={input} />
      <MessageList label="Output" messages={output} />
      {span.tool_call_arguments !== '' && <CodeBlock title="Arguments" code={span.tool_call_arguments} wrap />}
      {span.tool_call_result !== '' && <CodeBlock title="Result" code={span.tool_call_result} wrap />}
      {span.tool_definitions !== '' && (
        <details>
          <summary>Tools that were offered</summary>
          <CodeBlock title="Tools" code={span.tool_definitions} wrap />
        </details>
      )}
    </div>
  );
}

/** With the messages if they were kept, else with the model alone. */
function OpenInPlayground({ span }: { span: Span }) {
  const navigate = useNavigate();
  const open = () => {
    const turns = readMessages(span.input_messages).flatMap(({ role, parts }) => {
      const content = textOf(parts);
      return (role === 'user' || role === 'assistant') && content !== '' ? [{ role, content } as const] : [];
    });
    keepForPlayground({ model: span.request_model, system: readInstructions(span.system_instructions), turns });
    void navigate({ to: '/playground' });
  };
  return (
    <Button icon="play" onClick={open}>
      Open in playground
    </Button>
  );
}
