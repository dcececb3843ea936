/** An element of MathML: a tag with text, or with elements inside. */
export type MathNode = { tag: string; text?: string; inside?: MathNode[]; stretchy?: boolean };

const LETTERS: Record<string, string> = Object.fromEntries(
  (
    'alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ ' +
    'pi:π rho:ρ sigma:σ tau:τ upsilon:υ phi:φ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π ' +
    'Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω infty:∞ partial:∂ nabla:∇ hbar:ℏ ell:ℓ emptyset:∅ Re:ℜ Im:ℑ'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const SIGNS: Record<string, string> = Object.fromEntries(
  (
    'cdot:· times:× div:÷ pm:± mp:∓ le:≤ leq:≤ ge:≥ geq:≥ ne:≠ neq:≠ approx:≈ equiv:≡ sim:∼ propto:∝ to:→ rightarrow:→ ' +
    'leftarrow:← Rightarrow:⇒ Leftarrow:⇐ leftrightarrow:↔ iff:⟺ implies:⟹ mapsto:↦ in:∈ notin:∉ subset:⊂ subseteq:⊆ ' +
    'cup:∪ cap:∩ setminus:∖ forall:∀ exists:∃ neg:¬ land:∧ lor:∨ sum:∑ prod:∏ int:∫ oint:∮ ldots:… cdots:⋯ dots:… ' +
    'langle:⟨ rangle:⟩ lfloor:⌊ rfloor:⌋ lceil:⌈ rceil:⌉ mid:| circ:∘ star:⋆ oplus:⊕ otimes:⊗ perp:⊥ parallel:∥ angle:∠'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const NAMES = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim ker gcd arg'.split(
    ' ',
  ),
);
const SPACES = new Set([',', ';', ':', '!', ' ', 'quad', 'qquad']);
const WORDS = new Set(['text', 'mathrm', 'operatorname', 'textbf', 'textit', 'mathbf', 'mathit', 'mathbb', 'mathcal']);
const TOKEN = /\\[A-Za-z]+|\\.|[{}^_]|\d+(?:\.\d+)?|[^\s\\{}^_\d]/gu;
/** Deeper nesting is shown as text, so that no reply can exhaust the stack. */
const DEPTH_MAX = 50;

/** A part of TeX's maths as MathML: letters, operators, fractions, roots, powers and indices. Unknown commands stay readable. */
export function parseTex(tex: string): MathNode[] {
  const tokens = tex.match(TOKEN) ?? [];
  let at = 0;

  function group(depth: number): MathNode {
    if (tokens[at] !== '{') return scripted(depth);
    at++;
    const inside = list(depth, '}');
    at++;
    return { tag: 'mrow', inside };
  }

  function words(): string {
    if (tokens[at] !== '{') return tokens[at++] ?? '';
    let text = '';
    for (at++; at < tokens.length && tokens[at] !== '}'; at++) text += (tokens[at] ?? '').replace(/^\\/, '');
    at++;
    return text;
  }

  function atom(depth: number): MathNode {
    const token = tokens[at++] ?? '';
    if (depth > DEPTH_MAX) return { tag: 'mtext', text: token };
    if (token === '{') {
      at--;
      return group(depth + 1);
    }
    if (!token.startsWith('\\')) {
      if (/^\d/.test(token)) return { tag: 'mn', text: token };
      return /^\p{L}$/u.test(token) ? { tag: 'mi', text: token } : { tag: 'mo', text: token };
    }
    const name = token.slice(1);
    if (name === 'frac' || name === 'dfrac' || name === 'tfrac')
      return { tag: 'mfrac', inside: [group(depth + 1), group(depth + 1)] };
    if (name === 'sqrt') return { tag: 'msqrt', inside: [group(depth + 1)] };
    if (name === 'left' || name === 'right') return { tag: 'mo', text: fence(tokens[at++] ?? ''), stretchy: true };
    if (WORDS.has(name)) return { tag: 'mtext', text: words() };
    if (name in LETTERS) return { tag: 'mi', text: LETTERS[name] ?? '' };
    if (name in SIGNS) return { tag: 'mo', text: SIGNS[name] ?? '' };
    if (NAMES.has(name)) return { tag: 'mi', text: name };
    if (SPACES.has(name)) return { tag: 'mtext', text: '\u00a0' };
    return name.length === 1 ? { tag: 'mo', text: name } : { tag: 'mtext', text: token };
  }

  function scripted(depth: number): MathNode {
    const base = atom(depth);
    let below: MathNode | undefined;
    let above: MathNode | undefined;
    for (; tokens[at] === '^' || tokens[at] === '_'; ) {
      const isAbove = tokens[at++] === '^';
      const script = tokens[at] === '{' ? group(depth + 1) : atom(depth + 1);
      if (isAbove) above = script;
      else below = script;
    }
    if (above && below) return { tag: 'msubsup', inside: [base, below, above] };
    if (above) return { tag: 'msup', inside: [base, above] };
    return below ? { tag: 'msub', inside: [base, below] } : base;
  }

  function list(depth: number, end?: string): MathNode[] {
    const nodes: MathNode[] = [];
    while (at < tokens.length && tokens[at] !== end) {
      // A brace that closes nothing.
      if (tokens[at] === '}') at++;
      else nodes.push(scripted(depth + 1));
    }
    return nodes;
  }

  return list(0);
}

function fence(token: string): string {
  if (token === '.') return '';
  return token.startsWith('\\') ? (SIGNS[token.slice(1)] ?? token.slice(1)) : token;
}

/** How maths is marked in inline code, which Markdown leaves as it is. */
export const INLINE = '\u0001';
export const DISPLAY = '\u0002';

const MATHS =
  /(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|\$(?=\S)([^$\n`]*[^\s$`])\$(?!\d)/g;

/** Puts what is between the signs of maths into marked inline code; code itself stays. */
export function markMaths(text: string): string {
  return text.replace(MATHS, (whole, code?: string, ...parts: (string | undefined)[]) => {
    if (code !== undefined) return whole;
    const [dollars, square, round, dollar] = parts;
    const shown = dollars ?? square;
    const tex = (shown ?? round ?? dollar ?? '').replaceAll('`', '').replaceAll(/\s+/g, ' ').trim();
    return tex === '' ? whole : `\`${shown === undefined ? INLINE : DISPLAY}${tex}\``;
  });
}
