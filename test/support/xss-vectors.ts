import { readJson } from './shared-data.ts'

interface Payloads {
  readonly lists: readonly { readonly kind: string; readonly vectors: readonly string[] }[]
}

interface MarkdownCases {
  readonly cases: readonly { readonly markdown: string }[]
}

/** Every vector of the shared data, each once. */
export function xssVectors(): string[] {
  const { lists } = readJson<Payloads>('xss/payloadsallthethings-intruders.json')
  const { cases } = readJson<MarkdownCases>('xss/markdown-it-xss.json')
  // The bare names of event handlers are made into something that would run.
  const payloads = lists.flatMap(({ kind, vectors }) =>
    kind === 'event-handler-names' ? vectors.map((name) => `<img src=x tabindex=0 ${name}=alert(1)>`) : vectors,
  )
  return [...new Set([...payloads, ...cases.map(({ markdown }) => markdown.trim())])]
}

/** The vectors in as few texts as it takes, none longer than `max`; longer ones are cut. */
export function inChunks(vectors: readonly string[], max: number, separator = ' '): string[] {
  const chunks: string[] = []
  for (const vector of vectors) {
    const text = vector.slice(0, max).toWellFormed()
    const last = chunks.at(-1)
    if (last === undefined || last.length + separator.length + text.length > max) chunks.push(text)
    else chunks[chunks.length - 1] = last + separator + text
  }
  return chunks
}
