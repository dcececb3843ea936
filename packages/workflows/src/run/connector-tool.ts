import { makeStep } from '../define-step.ts';
import type { ConnectorCall, ConnectorResult, StepContext } from '../definitions.ts';
import type { Json } from '../protocol.ts';
import { readRefusal } from './read-refusal.ts';

type Answer = {
  content: { type: string; text?: string }[];
  metadata?: { mcp_meta?: { isError?: boolean; structuredContent?: Json } };
};

const TEN_MINUTES_MS = 600_000;

/** One call of a connector's tool, by a request to the platform with the worker's key. */
export const connectorStep = makeStep('__connector_tool', { timeoutMs: TEN_MINUTES_MS, retry: false }, (call, step) =>
  callConnector(call as ConnectorCall, step),
);

async function callConnector(call: ConnectorCall, { platform, signal }: StepContext): Promise<ConnectorResult> {
  const { connector, tool, credentialsName } = call;
  const path = `/v1/connectors/${encodeURIComponent(connector)}/tools/${encodeURIComponent(tool)}/call`;
  const query = credentialsName === undefined ? '' : `?credentials_name=${encodeURIComponent(credentialsName)}`;
  const response = await fetch(`${platform.url}${path}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: call.arguments ?? {} }),
    signal,
  });
  if (!response.ok) throw await readRefusal(response);
  const { content, metadata } = (await response.json()) as Answer;
  return {
    text: content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'),
    content: content as unknown as Json[],
    structuredContent: metadata?.mcp_meta?.structuredContent ?? null,
    isError: metadata?.mcp_meta?.isError ?? false,
  };
}
