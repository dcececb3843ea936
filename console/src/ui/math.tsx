import { createElement, type ReactNode } from 'react';
import { type MathNode, parseTex } from './parse-tex.ts';

/** Maths as the browser draws it; its TeX is what a screen reader and a copy fall back on. */
export function MathView({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  const inside = parseTex(tex).map(toElement);
  return createElement('math', { display: isDisplay ? 'block' : 'inline', title: tex }, ...inside);
}

function toElement({ tag, text, inside = [], stretchy }: MathNode, at: number): ReactNode {
  return createElement(tag, { key: at, ...(stretchy ? { stretchy: 'true' } : {}) }, text ?? inside.map(toElement));
}
