/** The parts of a parsed page (hast) that we look at. */
export type Text = { type: 'text'; value: string };
export type Raw = { type: 'raw'; value: string };
export type Element = {
  type: 'element';
  tagName: string;
  properties: Record<string, string | number | boolean | string[] | undefined>;
  children: Node[];
};
export type Root = { type: 'root'; children: Node[] };
export type Node = Text | Raw | Element | { type: 'comment' | 'doctype' };

export function element(tagName: string, properties: Element['properties'], ...children: (Node | string)[]): Element {
  return {
    type: 'element',
    tagName,
    properties,
    children: children.map((child) => (typeof child === 'string' ? { type: 'text', value: child } : child)),
  };
}

export function isElement(node: Node, ...tagNames: string[]): node is Element {
  return node.type === 'element' && (tagNames.length === 0 || tagNames.includes(node.tagName));
}

/** The text of a node, with spaces where a reader sees a gap. */
export function textOf(node: Node): string {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return '';
  const text = node.children.map(textOf).join('');
  return /^(p|li|t[dhr]|pre|h\d|div)$/.test(node.tagName) ? `${text} ` : text;
}
