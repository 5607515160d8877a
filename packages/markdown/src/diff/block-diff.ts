import { diffLists, type Run } from '@recto/lib/text/diff.ts'

/** A block of a rendered diff, or a number of unchanged blocks that are omitted. */
export type BlockChange =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly html: string }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }
  | { readonly kind: 'skipped'; readonly count: number }

export interface BlockDiff {
  readonly changes: readonly BlockChange[]
  readonly truncated: boolean
}

const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr'])
const AROUND = 1
const MAX_CHARACTERS = 1_000_000

/** Diffs two rendered pages by block, each a complete element. Input is sanitised HTML; ids are removed. */
export function blockDiff(before: string, after: string): BlockDiff {
  const [a, b] = [splitBlocks(before), splitBlocks(after)]
  const changes: BlockChange[] = []
  let remaining = MAX_CHARACTERS
  const runs = diffLists(a, b)
  for (const [index, run] of runs.entries()) {
    const runChanges = run.same ? around(a.slice(...run.a), index > 0, index < runs.length - 1) : pairChanges(run, a, b)
    for (const change of runChanges) {
      remaining -= measureSize(change)
      if (remaining < 0) return { changes, truncated: true }
      changes.push(change)
    }
  }
  return { changes, truncated: false }
}

/** The top-level elements of the HTML in order; text between them is a block as well. */
export function splitBlocks(html: string): string[] {
  const blocks: string[] = []
  let depth = 0
  let from = 0
  const close = (to: number) => {
    const block = html.slice(from, to).trim()
    if (block !== '') blocks.push(withoutIds(block))
    from = to
  }
  // In sanitised HTML `<` and `>` occur only in tags, and tags are balanced.
  for (const tag of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])[^<>]*>/gi)) {
    const name = (tag[2] ?? '').toLowerCase()
    const end = tag.index + tag[0].length
    const isEnd = tag[1] === '/'
    if (depth === 0 && !isEnd) close(tag.index)
    if (isEnd) depth = Math.max(0, depth - 1)
    else if (!VOID.has(name)) depth++
    if (depth === 0) close(end)
  }
  close(html.length)
  return blocks
}

/** Sanitised HTML without ids, and what refers to them: it is shown in a document that has other HTML. */
export function withoutIds(html: string): string {
  return html.replace(/<[^<>]*>/g, (tag) => tag.replace(/ (?:id|name|for|headers|aria-\w+by)="[^"]*"/g, ''))
}

function around(blocks: readonly string[], below: boolean, above: boolean): BlockChange[] {
  const head = below ? AROUND : 0
  const tail = above ? AROUND : 0
  const same = (html: string): BlockChange => ({ kind: 'same', html })
  const count = blocks.length - head - tail
  if (count <= 1) return blocks.map(same)
  return [
    ...blocks.slice(0, head).map(same),
    { kind: 'skipped', count },
    ...blocks.slice(blocks.length - tail).map(same),
  ]
}

/** Pairs removed blocks with the added ones that replace them. */
function pairChanges(run: Run, a: readonly string[], b: readonly string[]): BlockChange[] {
  const changes: BlockChange[] = []
  const length = Math.max(run.a[1] - run.a[0], run.b[1] - run.b[0])
  for (let offset = 0; offset < length; offset++) {
    const before = offset < run.a[1] - run.a[0] ? a[run.a[0] + offset] : undefined
    const after = offset < run.b[1] - run.b[0] ? b[run.b[0] + offset] : undefined
    if (before !== undefined && after !== undefined) changes.push({ kind: 'changed', before, after })
    else if (before !== undefined) changes.push({ kind: 'removed', html: before })
    else if (after !== undefined) changes.push({ kind: 'added', html: after })
  }
  return changes
}

function measureSize(change: BlockChange): number {
  if (change.kind === 'skipped') return 0
  return change.kind === 'changed' ? change.before.length + change.after.length : change.html.length
}
