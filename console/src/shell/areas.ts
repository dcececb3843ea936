import type { IconName } from '../ui/icon.tsx';

/** The entries of the navigation. */
export const areas = [
  {
    title: undefined,
    entries: [
      { to: '/', label: 'Home', icon: 'home' },
      { to: '/approvals', label: 'Approvals', icon: 'check' },
    ],
  },
  {
    title: 'Build',
    entries: [
      { to: '/playground', label: 'Playground', icon: 'play' },
      { to: '/prompts', label: 'Prompts', icon: 'prompt' },
      { to: '/skills', label: 'Skills', icon: 'skill' },
      { to: '/agents', label: 'Agents', icon: 'agent' },
      { to: '/libraries', label: 'Libraries', icon: 'book' },
      { to: '/connectors', label: 'Connectors', icon: 'branch' },
      { to: '/mcp', label: 'MCP', icon: 'right' },
      { to: '/conversations', label: 'Conversations', icon: 'chat' },
      { to: '/workflows', label: 'Workflows', icon: 'flow' },
      { to: '/webhooks', label: 'Webhooks', icon: 'arrow' },
    ],
  },
  {
    title: 'Run',
    entries: [
      { to: '/requests', label: 'Requests', icon: 'pulse' },
      { to: '/datasets', label: 'Datasets', icon: 'list' },
      { to: '/judges', label: 'Judges', icon: 'check' },
      { to: '/evaluations', label: 'Evaluations', icon: 'chart' },
      { to: '/models', label: 'Models', icon: 'model' },
      { to: '/files', label: 'Files', icon: 'file' },
      { to: '/batch', label: 'Batch', icon: 'list' },
      { to: '/ocr', label: 'OCR', icon: 'search' },
      { to: '/moderation', label: 'Moderation', icon: 'warning' },
      { to: '/classifiers', label: 'Classifiers', icon: 'list' },
      { to: '/speech', label: 'Speech', icon: 'sound' },
      { to: '/transcription', label: 'Transcription', icon: 'mic' },
      { to: '/notifications', label: 'Notifications', icon: 'info' },
      { to: '/organization', label: 'Organization', icon: 'people' },
    ],
  },
] as const satisfies { title: string | undefined; entries: { to: string; label: string; icon: IconName }[] }[];
