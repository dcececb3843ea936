/** Line icons on a 20-unit grid. An icon always accompanies a text. */
const paths = {
  home: 'M3.5 9 10 3.5 16.5 9v7.5h-4.5v-5h-4v5H3.5z',
  play: 'M6 4.2v11.6L15.5 10z',
  prompt: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5zM6.5 8h7M6.5 10.5h4',
  skill: 'M10 3l1.8 4.4 4.7.4-3.6 3.1 1.1 4.6-4-2.5-4 2.5 1.1-4.6L3.5 7.8l4.7-.4z',
  agent: 'M4.5 7.5h11v8h-11zM10 7.5V4M8 11v1.2M12 11v1.2M2.5 10.5v2M17.5 10.5v2',
  chat: 'M3 4h10v7H8l-2.5 2.3V11H3zM9.5 13.5h3l2.5 2.3v-2.3H17V7h-1.5',
  flow: 'M3 3.5h5v4H3zM12 8h5v4h-5zM3 12.5h5v4H3zM8 5.5h2v9H8M10 10h2',
  model: 'M10 3l6.2 3.5v7L10 17l-6.2-3.5v-7zM3.8 6.5 10 10l6.2-3.5M10 10v7',
  sound: 'M4 8v4h2.5L10 15V5L6.5 8zM12.7 7.5a3.6 3.6 0 0 1 0 5M14.8 5.4a6.5 6.5 0 0 1 0 9.2',
  mic: 'M10 12a2.3 2.3 0 0 0 2.3-2.3V5.3a2.3 2.3 0 0 0-4.6 0v4.4A2.3 2.3 0 0 0 10 12zM5 9.7a5 5 0 0 0 10 0M10 14.7v2.8M7.2 17.5h5.6',
  people:
    'M7.5 9.2a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.5 16.5c0-3 2-4.8 5-4.8s5 1.8 5 4.8zM13 9a2.4 2.4 0 1 0-1-4.6M14.3 11.9c2 .4 3.2 2 3.2 4.6h-2.3',
  person: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c0-3.2 2.4-5 6-5s6 1.8 6 5z',
  key: 'M6.5 13.5a3.5 3.5 0 1 1 3.2-4.9H17.5v2.8h-2v2h-2.6v-2H9.7a3.5 3.5 0 0 1-3.2 2.1zM6.3 10v.01',
  chart: 'M3.5 3.5v13h13M7 13.5v-4M10.5 13.5v-7M14 13.5v-5.5',
  list: 'M7 5.5h9.5M7 10h9.5M7 14.5h9.5M3.8 5.5v.01M3.8 10v.01M3.8 14.5v.01',
  theme: 'M10 3.5a6.5 6.5 0 1 0 0 13zM10 3.5a6.5 6.5 0 0 1 0 13',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4 10.5l4 4 8-9',
  copy: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.4L14.5 6M8.5 9v4.5M11.5 9v4.5',
  more: 'M5 10v.01M10 10v.01M15 10v.01',
  refresh: 'M16 10a6 6 0 1 1-1.8-4.3M16 3.5v3.2h-3.2',
  download: 'M10 3.5v9M6.5 9.5 10 13l3.5-3.5M4 16.5h12',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3v.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.3v4M10 6.7v.01',
  edit: 'M4 16h3l8.7-8.7-3-3L4 13zM11 6l3 3',
  stop: 'M5 5h10v10H5z',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.8 2',
  branch:
    'M6 6.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM6 17.1a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM14 8.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM6 6.5v7M14 8.5c0 3-8 2-8 5',
  arrow: 'M4 10h12M11 5l5 5-5 5',
  down: 'M5 7.5l5 5 5-5',
  right: 'M7.5 5l5 5-5 5',
  file: 'M5 3h6.5L15 6.5V17H5zM11.5 3v3.5H15',
  book: 'M4 4.5c2.2-.8 4.2-.6 6 .7v11c-1.8-1.3-3.8-1.5-6-.7zM16 4.5c-2.2-.8-4.2-.6-6 .7v11c1.8-1.3 3.8-1.5 6-.7z',
  pulse: 'M2.5 10.5h3.2l2-6 4 11 2.3-7 1 2h2.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
