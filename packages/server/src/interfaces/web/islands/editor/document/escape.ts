/** How much of a text is escaped: nothing, what may mean something, or all punctuation. */
export type Escaping = 'none' | 'likely' | 'all'

const WORD = /[\p{L}\p{N}]/u

/** A text so that it means itself; `isInLink` for the text of a link. */
export function escapeText(text: string, escaping: Escaping, isInLink: boolean): string {
  if (escaping === 'none') return text
  if (escaping === 'all') return text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
  return text.replace(/\\(?=[!-/:-@[-`{-~]|$)|[`*_~$[\]]|<(?=[a-z/!?])|&(?=#?\w+;)/gi, (char, at: number) => {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + 1]]
    if (char === '_' && WORD.test(before) && WORD.test(after)) return char
    if (char === '*' && at > 0 && at < text.length - 1 && /\s/.test(before) && /\s/.test(after)) return char
    if (char === ']' && !isInLink) return char
    return `\\${char}`
  })
}

/** Lines of a paragraph so that none begins another block. */
export function escapeLineStarts(text: string): string {
  return text.replace(
    /^(?:[-+>=|:]|#{1,6}(?=[ \t]|$)|(\d{1,9})([.)])(?=[ \t]|$))/gm,
    (start, digits?: string, delimiter?: string) => (digits === undefined ? `\\${start}` : `${digits}\\${delimiter}`),
  )
}

/** The longest run of a character, to which code and fences must differ. */
export function longestRun(text: string, char: string): number {
  let longest = 0
  let length = 0
  for (const each of text) {
    length = each === char ? length + 1 : 0
    longest = Math.max(longest, length)
  }
  return longest
}

/** A code span. `markup` is how it was written. */
export function writeCode(text: string, markup: string | null): string {
  const code = text.replaceAll('\n', ' ')
  const runs = new Set((code.match(/`+/g) ?? []).map(({ length }) => length))
  let ticks = markup?.length ?? 1
  while (runs.has(ticks)) ticks++
  const isPadded = /^`|`$|^ .*[^ ].* $/.test(code)
  const fence = '`'.repeat(ticks)
  return isPadded ? `${fence} ${code} ${fence}` : fence + code + fence
}

/** The target of a link with its title. */
export function writeTarget(href: string, title: string): string {
  const url = escapeReferences(href).replace(/[\r\n]/g, encodeURIComponent)
  const isPlain = /^[^\s<>()\\\p{Cc}]+(?:\([^\s<>()\\\p{Cc}]*\)[^\s<>()\\\p{Cc}]*)*$/u.test(url)
  const target = isPlain || (url === '' && title === '') ? url : `<${url.replace(/[<>\\]/g, '\\$&')}>`
  const text = escapeReferences(title).replace(/["\\]/g, '\\$&')
  return text === '' ? target : `${target} "${text}"`
}

function escapeReferences(text: string): string {
  return text.replace(/&(?=#?\w+;)/g, '&amp;')
}

/** An image with a size, which Markdown has not. */
export function writeImageTag(attrs: Readonly<Record<string, string | null>>): string {
  const parts = ['src', 'alt', 'title', 'width', 'height'].flatMap((name) => {
    const value = attrs[name] ?? ''
    if (value === '' && name !== 'alt' && name !== 'src') return []
    return [` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`]
  })
  return `<img${parts.join('')}>`
}
