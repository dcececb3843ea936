import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import {
  type Connector,
  connectorPath,
  connectorsKey,
  type MCPTool,
  reviewQuery,
  toolsQuery,
  usesQuery,
} from './queries.ts';
import { RULES, useToolRules } from './tool-rules.ts';
import { TryTool } from './try-tool.tsx';

/** The tools, or why there are none: this is also where one sees whether the server responds. */
export function Tools({ connector }: { connector: Connector }) {
  const { id } = connector;
  const [tried, setTried] = useState<MCPTool>();
  const query = useQuery(toolsQuery(id));
  const client = useQueryClient();
  const rules = useToolRules(connector);
  return (
    <Card
      title="Tools"
      actions={
        <Button
          icon="refresh"
          busy={query.isFetching}
          onClick={() => void query.refetch().then(() => client.invalidateQueries(usesQuery(id)))}
        >
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
              rows={[...tools.filter(({ name }) => !rules.denied.includes(name)), ...rules.denied.map(deniedTool)]}
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
                  header: 'For you',
                  cell: ({ name }) => (
                    <SelectField
                      label={`Rule for ${name}`}
                      hideLabel
                      value={rules.of(name)}
                      options={RULES}
                      onChange={(rule) => rules.set(name, rule)}
                    />
                  ),
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (tool) =>
                    rules.of(tool.name) !== 'deny' && (
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

/** A tool that the user denied is no longer listed by the server. */
function deniedTool(name: string): MCPTool {
  return { name, description: 'Models are not offered it.', inputSchema: {} };
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
