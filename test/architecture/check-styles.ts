import { posix } from 'node:path';
import type { Sources } from './check-architecture.ts';

/** The only CSS whose classes are global: colours and sizes, and the reset with a few layout primitives. */
const GLOBAL_CSS = ['console/src/styles/tokens.css', 'console/src/styles/base.css'];
const GLOBAL_LINES_MAX = 262;
const CLASS = /\.(-?[A-Za-z_][\w-]*)/g;
const IMPORT = /^import (\w+) from '([^']+\.module\.css)';$/gm;
const LITERAL = /'([^'\n]*)'|"([^"\n]*)"|`((?:[^`$]|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})*)`/g;

/** Classes that no CSS has, classes that no code uses, and CSS that is global without being one of the two files. */
export function findStyleProblems(sources: Sources): string[] {
  const css = [...sources].filter(([path]) => path.startsWith('console/src/') && path.endsWith('.css'));
  const modules = new Map(
    css.filter(([path]) => path.endsWith('.module.css')).map(([path, text]) => [path, classesOf(text)]),
  );
  const globals = new Set(GLOBAL_CSS.flatMap((path) => [...classesOf(sources.get(path) ?? '')]));
  const used = new Map([...modules.keys()].map((path) => [path, new Set<string>()]));
  const problems = [...checkGlobals(css)];
  for (const [path, text] of sources) {
    if (!path.startsWith('console/src/') || !path.endsWith('.tsx')) continue;
    for (const word of wordsOf(text))
      if (!globals.has(word))
        problems.push(`${path} has the class ${word}, which console/src/styles/base.css does not define`);
    for (const [, name = '', specifier = ''] of text.matchAll(IMPORT)) {
      const module = posix.join(posix.dirname(path), specifier);
      const known = modules.get(module);
      if (!known) problems.push(`${path} imports ${module}, which does not exist`);
      for (const member of membersOf(text, name)) {
        used.get(module)?.add(member);
        if (known && member !== '*' && !known.has(member))
          problems.push(`${path} uses ${member}, which ${module} lacks`);
      }
    }
  }
  for (const [path, known] of modules) {
    const seen = used.get(path) ?? new Set();
    // A class that is chosen by a value is used by all of its kind.
    if (seen.has('*')) continue;
    for (const name of known) if (!seen.has(name)) problems.push(`${path} has .${name}, which nobody uses`);
  }
  return problems;
}

function checkGlobals(css: [string, string][]): string[] {
  const global = css.filter(([path]) => !path.endsWith('.module.css'));
  const strays = global.map(([path]) => path).filter((path) => !GLOBAL_CSS.includes(path));
  const lines = global.reduce((sum, [, text]) => sum + text.split('\n').length, 0);
  return [
    ...strays.map((path) => `${path} is global: name it ${path.replace(/\.css$/, '.module.css')}`),
    ...(lines > GLOBAL_LINES_MAX ? [`the global CSS has ${lines} lines, ${GLOBAL_LINES_MAX} at most`] : []),
  ];
}

/** The classes of a file; those in `:global()` belong to others. */
function classesOf(text: string): Set<string> {
  const own = text.replace(/\/\*[\s\S]*?\*\/|:global\([^)]*\)|\{[^{}]*\}/g, ' ');
  return new Set([...own.matchAll(CLASS)].map(([, name = '']) => name));
}

/** `styles.name`, and `*` for `styles[value]`. */
function membersOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`\\b${name}(?:\\.(\\w+)|\\[)`, 'g'))].map(([, member]) => member ?? '*');
}

/** The words of literals in `className`, without names of modules and what a value is compared with. */
function wordsOf(text: string): string[] {
  const given = [...text.matchAll(/\bclassName=("[^"]*"|\{)/g)].map((match) =>
    match[1] === '{' ? balanced(text, match.index + match[0].length) : (match[1] ?? ''),
  );
  return given
    .map((code) => code.replace(/buttonClass\(\{[^}]*\}\)/g, '').replace(/[!=]== ('[^']*'|"[^"]*")/g, ''))
    .map((code) => code.replace(/\w+\[(`[^`]*`|'[^']*'|\w+)\]/g, ''))
    .flatMap(literalsOf)
    .flatMap((literal) => literal.split(/\s+/))
    .filter((word) => word !== '');
}

function literalsOf(code: string): string[] {
  return [...code.matchAll(LITERAL)].flatMap(([, single, double, template]) => {
    if (template === undefined) return [single ?? double ?? ''];
    const inner = [...template.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g)].flatMap(([, code = '']) => literalsOf(code));
    return [template.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, ' '), ...inner];
  });
}

/** The text until the brace that closes what was opened before `from`. */
function balanced(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at++) depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0;
  return text.slice(from, at - 1);
}
