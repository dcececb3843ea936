import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from './answer.ts';

// A client that exports spans as OTLP in JSON, in the batches that OpenTelemetry's SDKs send.

const BATCH_SPANS = 512;
const SERVICE = 'bench-client';

let isSending = false;
let running: Promise<number> | undefined;

answer({
  begin: ({ port, key, perSecond }: { port: number; key: string; perSecond: number }) => {
    isSending = true;
    running = send(`http://127.0.0.1:${port}/telemetry/v1/traces`, key, perSecond);
  },
  /** How many the server has taken. */
  end: () => {
    isSending = false;
    return running;
  },
});

async function send(url: string, key: string, perSecond: number): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const everyMs = (BATCH_SPANS * 1000) / perSecond;
  const startedAt = performance.now();
  const sent: Promise<number>[] = [];
  for (let batch = 0; isSending; batch++) {
    await delay(Math.max(0, startedAt + batch * everyMs - performance.now()));
    const body = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [text('service.name', SERVICE)] },
          scopeSpans: [{ spans: Array.from({ length: BATCH_SPANS }, () => spanOf()) }],
        },
      ],
    });
    sent.push(post(url, headers, body));
  }
  return (await Promise.all(sent)).reduce((sum, taken) => sum + taken, 0);
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { partialSuccess } = (await response.json()) as { partialSuccess?: { rejectedSpans?: string } };
  return BATCH_SPANS - Number(partialSuccess?.rejectedSpans ?? 0);
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const int = (key: string, value: number) => ({ key, value: { intValue: String(value) } });

function spanOf() {
  const ids = randomBytes(24).toString('hex');
  const endMs = Date.now();
  return {
    traceId: ids.slice(16),
    spanId: ids.slice(0, 16),
    name: 'chat small',
    kind: 3,
    startTimeUnixNano: `${endMs - 500}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'small'),
      text('gen_ai.response.model', 'small'),
      text('gen_ai.conversation.id', `conv_${ids.slice(0, 4)}`),
      int('gen_ai.usage.input_tokens', 500),
      int('gen_ai.usage.output_tokens', 100),
    ],
    status: {},
  };
}
