/** What was typed into the palette. */
export type Typed =
  | {
      readonly kind: 'names'
      readonly words: string
      /** Only of this space. */
      readonly space?: string
      /** The space is only named by the first word, which may be meant as a word. */
      readonly isGuessed?: boolean
    }
  /** `> words`, as in editors of code. */
  | { readonly kind: 'commands'; readonly words: string }
  /** With operators of the search. */
  | { readonly kind: 'search' }

const OPERATOR = /(?:^|\s)(?:by|before|after|title|path|has):\S/
const IN_SPACE = /^in:([a-z0-9-]+)(?:\s+|$)/

/** Reads what was typed; `slugs` are the known spaces. */
export function readTyped(typedText: string, slugs: readonly string[]): Typed {
  if (typedText.startsWith('>')) return { kind: 'commands', words: typedText.slice(1).trim() }
  if (OPERATOR.test(typedText)) return { kind: 'search' }
  const [given, space] = IN_SPACE.exec(typedText) ?? []
  if (given !== undefined && space !== undefined) return { kind: 'names', words: typedText.slice(given.length), space }
  const [first = '', ...rest] = typedText.split(/\s+/)
  if (rest.length === 0 || !slugs.includes(first.toLowerCase())) return { kind: 'names', words: typedText }
  return { kind: 'names', words: rest.join(' '), space: first.toLowerCase(), isGuessed: true }
}
