import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Connector, connectorPath, connectorsKey, type MCPTool, reviewQuery, toolsQuery } from './queries.ts';

/** The tools, or why there are none: this is also where one sees whether the server responds. */
export function Tools({ connector: { id } }: { connector: Connector }) {
  const [tried, setTried] = useState<MCPTool>();
  const query = useQuery(toolsQuery(id));
  return (
    <Card
      title="Tools"
      actions={
        <Button icon="refresh" busy={query.isFetching} onClick={() => void query.refetch()}>
          Ask again
        </Button>
      }
    >
      <div className="stack">
        <Held id={id} />
        <Loaded query={query}>
          {(tools) => (
            <Table
              caption="Tools"
              rows={tools}
              rowKey={({ name }) => name}
              columns={[
                {
                  header: 'Tool',
                  cell: ({ name, description, annotations }) => (
                    <div>
                      <code>{name}</code> {annotations?.readOnlyHint && <Badge>reads only</Badge>}
                      <div className="muted">{description}</div>
                    </div>
                  ),
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (tool) => (
                    <Button small icon="play" onClick={() => setTried(tool)}>
                      {`Try ${tool.name}`}
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </div>
      {tried && <TryTool id={id} tool={tried} onClose={() => setTried(undefined)} />}
    </Card>
  );
}

/** Tools that their server changed, with both versions. */
function Held({ id }: { id: string }) {
  const { data } = useQuery(reviewQuery(id));
  const client = useQueryClient();
  const toast = useToast();
  const trust = useMutation({
    mutationFn: ({ name, digest }: { name: string; digest: string | null }) =>
      api.post<{ message: string }>(`${connectorPath(id)}/tools/${encodeURIComponent(name)}/trust`, { digest }),
    onSuccess: async ({ message }) => {
      toast.success(message);
      await client.invalidateQueries({ queryKey: connectorsKey });
    },
    onError: toast.error,
  });
  const held = data?.tools.filter(({ status }) => status === 'held') ?? [];
  return held.map(({ name, digest, trusted, current }) => (
    <Notice key={name} tone="warning">
      <div className="stack">
        <p>{`${name} was changed by its server and is held back.`}</p>
        <CodeBlock title="Before" code={JSON.stringify(trusted, null, 2)} />
        <CodeBlock title="Now" code={JSON.stringify(current, null, 2)} />
        <Button busy={trust.isPending} onClick={() => trust.mutate({ name, digest })}>
          {`Trust ${name} as it is now`}
        </Button>
      </div>
    </Notice>
  ));
}

function TryTool({ id, tool, onClose }: { id: string; tool: MCPTool; onClose: () => void }) {
  const [text, setText] = useState(() => JSON.stringify(exampleOf(tool.inputSchema), null, 2));
  const parsed = parseJson(text);
  const call = useMutation({
    mutationFn: () =>
      api.post<unknown>(`${connectorPath(id)}/tools/${encodeURIComponent(tool.name)}/call`, { arguments: parsed }),
  });
  return (
    <Dialog
      title={`Try ${tool.name}`}
      wide
      onClose={onClose}
      onSubmit={() => call.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" icon="play" busy={call.isPending} disabled={parsed === undefined}>
            Call
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextAreaField
          label="Arguments"
          code
          rows={8}
          value={text}
          error={parsed === undefined ? 'This is not JSON.' : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <CodeBlock title="Schema" code={JSON.stringify(tool.inputSchema, null, 2)} />
        <ErrorNotice error={call.error} />
        {call.data !== undefined && <CodeBlock title="Result" code={JSON.stringify(call.data, null, 2)} />}
      </div>
    </Dialog>
  );
}

/** An empty value for each required property. */
function exampleOf(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, { type?: unknown }>;
  const required = (schema.required ?? Object.keys(properties)) as string[];
  return Object.fromEntries(required.map((name) => [name, EMPTY[String(properties[name]?.type)] ?? '']));
}

const EMPTY: Record<string, unknown> = { number: 0, integer: 0, boolean: false, array: [], object: {} };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
