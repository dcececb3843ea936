import { NavTabs } from '../../ui/nav-tabs.tsx';

export function WorkflowTabs() {
  return (
    <NavTabs
      label="Workflow pages"
      entries={[
        { to: '/workflows', label: 'Workflows', exact: true },
        { to: '/workflows/executions', label: 'Executions' },
        { to: '/workflows/schedules', label: 'Schedules' },
      ]}
    />
  );
}
