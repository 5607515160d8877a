import type { Ctx } from '../../../access/ctx.ts'
import { requireSpace } from '../../../access/space.ts'
import { asksForTemplates } from '../../../access/template-folder.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { listAlike } from './store-titles.ts'
import { foldTitle } from './title-query.ts'

export interface Suggestion {
  readonly path: string
  readonly title: string
}

const SUGGESTED = 4
const ALIKE = 0.35

/** For each missing path of a space: the pages there with the most similar title or path. */
export async function suggestPages(
  ctx: Ctx,
  input: { readonly space: string; readonly paths: readonly string[] },
): Promise<Map<string, readonly Suggestion[]>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const paths = [...new Set(input.paths)]
  const missing = paths.map((path) => ({ path, name: foldTitle(lastSegment(path)) })).filter(({ name }) => name !== '')
  if (missing.length === 0) return new Map()
  const rows = await listAlike(
    ctx.db,
    toAccessSubject(ctx.actor),
    space.id,
    missing.map(({ name }) => beginnings(name)),
  )
  return new Map(
    missing.map(({ path, name }, index) => {
      const rankedPages = rows
        .filter(({ n, path: at }) => n === index + 1 && (asksForTemplates(path) || !asksForTemplates(at)))
        .map(({ path: at, title }) => ({ at, title, score: computeScore(name, at, title) }))
        .filter(({ score }) => score >= ALIKE)
        .sort((a, b) => b.score - a.score || a.at.length - b.at.length)
      return [path, rankedPages.slice(0, SUGGESTED).map(({ at, title }) => ({ path: at, title }))]
    }),
  )
}

/** Prefixes of the words of the name, also with one extra or two transposed letters: three letters each. */
function beginnings(name: string): string {
  const words = name.split(' ').filter((word) => word.length > 1)
  const usedWords = words.length > 0 ? words : [name]
  const prefixes = usedWords.slice(0, 8).flatMap((word) => {
    const [a = '', b = '', c = '', d = ''] = word
    return [a + b + c, a + c + b, a + b + d, a + c + d]
  })
  return [...new Set(prefixes.map((beginning) => `'${beginning.toWellFormed()}':*`))].join(' | ')
}

function computeScore(name: string, path: string, title: string): number {
  return Math.max(likeness(name, foldTitle(title)), likeness(name, foldTitle(lastSegment(path))))
}

/** The similarity of two texts by letter pairs (Dice coefficient): 1 where they are equal. */
function likeness(a: string, b: string): number {
  if (a === b) return 1
  const pairs = (text: string) =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2))
  const leftPairs = pairs(b)
  const count = leftPairs.length
  let sharedCount = 0
  const own = pairs(a)
  for (const pair of own) {
    const at = leftPairs.indexOf(pair)
    if (at === -1) continue
    leftPairs.splice(at, 1)
    sharedCount++
  }
  return own.length + count === 0 ? 0 : (2 * sharedCount) / (own.length + count)
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).slice(0, 100)
}
