import { expect, it } from 'vitest';
import {
  bytesOf,
  changedFiles,
  contentFromBytes,
  definitionOf,
  type FolderFile,
  folderOf,
  keepLineEnds,
  putFile,
  renameFile,
  sizeOf,
  treeOf,
} from './folder.ts';

const BINARY = Uint8Array.of(0x7f, 0x45, 0x00, 0xff, 0xfe);
const text = (path: string, content = ''): FolderFile => ({ path, isExecutable: false, content: { text: content } });

it('reads a definition and writes the same one: text as text, other bytes unchanged', () => {
  const definition = {
    description: 'When to use it',
    body: '# How\r\n',
    assets: {
      'a.bin': { rawContent: btoa(String.fromCharCode(...BINARY)), isExecutable: true },
      'b.txt': { textContent: 'ünï\n', isExecutable: false },
    },
  };
  const folder = folderOf(definition);
  expect(definitionOf(folder)).toEqual(definition);
  expect(folder.files.map(sizeOf)).toEqual([5, 6]);
  expect(folder.files.map(bytesOf)[0]).toEqual(BINARY);
});

it('treats base64 of text as editable text, including a byte order mark', () => {
  const bytes = new TextEncoder().encode('\ufeffécho');
  const { files } = folderOf({ assets: { x: { rawContent: btoa(String.fromCharCode(...bytes)) } } });
  expect(files[0]?.content).toEqual({ text: '\ufeffécho' });
  expect(contentFromBytes(BINARY)).toHaveProperty('base64');
});

it('keeps the line ends of a file edited in a text area', () => {
  expect(keepLineEnds('a\r\nb\r\n', 'a\nb\nc\n')).toBe('a\r\nb\r\nc\r\n');
  expect(keepLineEnds('a\nb', 'a\nc')).toBe('a\nc');
});

it('detects added, removed, changed and moved files by content and executable flag', () => {
  const before = {
    description: '',
    body: '',
    files: [text('a', '1'), text('b', '1'), text('logo', 'x'), text('z', '9')],
  };
  const moved = renameFile(before, 'logo', 'images/logo');
  const after = putFile(
    putFile({ ...moved, files: moved.files.filter(({ path }) => path !== 'z') }, text('n', 'new')),
    {
      ...text('b', '1'),
      isExecutable: true,
    },
  );
  expect(changedFiles(before, after).map(({ path, kind, before: from }) => [kind, path, from?.path])).toEqual([
    ['changed', 'b', 'b'],
    ['moved', 'images/logo', 'logo'],
    ['added', 'n', undefined],
    ['removed', 'z', 'z'],
  ]);
  expect(changedFiles(before, before)).toEqual([]);
});

it('shows folders before files, and a file beside a folder of the same name', () => {
  const tree = treeOf([text('a.md'), text('scripts/x/run.sh'), text('scripts/a.sh'), text('scripts')]);
  const names = (nodes: typeof tree): unknown[] =>
    nodes.map(({ name, file, children }) => (file ? name : [name, ...names(children)]));
  expect(names(tree)).toEqual([['scripts', ['x', 'run.sh'], 'a.sh'], 'a.md', 'scripts']);
});
