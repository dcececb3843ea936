import { isValidElement, type ReactNode } from 'react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';
import styles from './markdown.module.css';
import { MathView } from './math.tsx';
import { DISPLAY, INLINE, markMaths } from './parse-tex.ts';

// h1 and h2 are used by the page and its cards.
const HEADINGS = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' } as const;

/** Model output: no raw HTML, no remote images, links without a referrer. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={styles.prose}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        disallowedElements={['img']}
        unwrapDisallowed
        components={{
          ...HEADINGS,
          pre: ({ children }) => <Code>{children}</Code>,
          code: ({ children, className }) => <InlineCode className={className}>{children}</InlineCode>,
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
        }}
      >
        {markMaths(text)}
      </ReactMarkdown>
    </div>
  );
}

/** A block of code with its language, colours and a button to copy it. */
function Code({ children }: { children: ReactNode }) {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return <pre>{children}</pre>;
  const { className = '', children: inside } = children.props;
  const language = /language-([\w+#-]+)/.exec(className)?.[1] ?? '';
  const code = (Array.isArray(inside) ? inside : [inside]).filter((part) => typeof part === 'string').join('');
  return <CodeBlock code={code.replace(/\n$/, '')} language={language} title={language || 'Code'} />;
}

function InlineCode({ className, children }: { className: string | undefined; children: ReactNode }) {
  const text = typeof children === 'string' ? children : '';
  const isDisplay = text.startsWith(DISPLAY);
  if (isDisplay || text.startsWith(INLINE)) return <MathView tex={text.slice(1)} isDisplay={isDisplay} />;
  return <code className={className}>{children}</code>;
}
