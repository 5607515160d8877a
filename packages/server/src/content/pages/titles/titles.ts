import { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { type ReadableSpace, readableSpaces } from '../../../access/space.ts'
import { asksForTemplates } from '../../../access/template-folder.ts'
import { joinHidden } from '../../../access/visibility.ts'
import type { SearchedPages } from '../../search/store-templates.ts'
import type { titledSchema } from '../schema.ts'
import { findNamed } from './named-pages.ts'
import { listLatestTitles, listTitles, type TitleRow } from './store-titles.ts'
import { foldTitle, parseTitleQuery } from './title-query.ts'

/** How many pages are ranked for each one that is returned. */
const RANKED = 6

/** A page by its title, with its URL. */
export type TitledPage = Static<typeof titledSchema>

interface Ranked {
  readonly row: TitleRow
  readonly tier: number
}

/** The readable pages with the input as words or prefix of title or path, best first; the latest without input. */
export async function findTitles(
  ctx: Ctx,
  input: { readonly q: string; readonly space?: string; readonly limit: number },
): Promise<TitledPage[]> {
  const spaces = await readableSpaces(ctx, input.space)
  return titlesIn(ctx.db, toReadSpaces(spaces, input.q), input)
}

/** The pages of `readableSpaces` that titles are of: without templates, unless the typed path asks for them. */
export function toReadSpaces(spaces: readonly ReadableSpace[], q: string): SearchedPages {
  const templates = asksForTemplates(q.trim()) ? undefined : 'out'
  return { spaceIds: spaces.map(({ id }) => id), hidden: joinHidden(spaces), templates }
}

/** The same in spaces that the caller can read. */
export async function titlesIn(
  db: Ctx['db'],
  spaces: SearchedPages,
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<TitledPage[]> {
  if (!q.isWellFormed()) throw new AppError('invalid_request', 'The query is not well-formed Unicode.')
  if (spaces.spaceIds.length === 0) return []
  const query = parseTitleQuery(q)
  if (query.prefix === '') return (await listLatestTitles(db, spaces, limit)).map(titledPage)
  const namedPages = await findNamed(db, { ...query, ...spaces, limit: RANKED * limit })
  const rows = rank(await listTitles(db, spaces, query.prefix, namedPages), query.prefix)
  return rows.slice(0, limit).map(titledPage)
}

export function titledPage({ space, path, title, icon }: TitleRow): TitledPage {
  return { space, path, title, url: pageUrl(space, path), ...iconMember(icon) }
}

/** The pages without repetitions. */
export function uniqueTitles(rows: readonly TitleRow[]): TitleRow[] {
  return [...new Map(rows.map((row) => [`${row.space}/${row.path}`, row])).values()]
}

function rank(rows: readonly TitleRow[], typedText: string): TitleRow[] {
  const foldedText = foldTitle(typedText)
  const rankedRows: Ranked[] = rows.map((row) => ({ row, tier: toTier(row, typedText, foldedText) }))
  return rankedRows.sort(compare).map(({ row }) => row)
}

/** Rank classes: the exact title or path; a title with this prefix; a last segment with it; its words; any path. */
function toTier({ title, path }: TitleRow, typedText: string, foldedText: string): number {
  const name = foldTitle(title)
  if (path === typedText || (foldedText !== '' && name === foldedText)) return 0
  if (foldedText !== '' && name.startsWith(foldedText)) return 1
  if (typedText.includes('/') && path.startsWith(typedText)) return 1
  const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (last.startsWith(typedText.toLowerCase())) return 2
  const words = ` ${name}`
  return foldedText !== '' && foldedText.split(' ').every((word) => words.includes(` ${word}`)) ? 3 : 4
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.tier - b.tier ||
    a.row.title.length - b.row.title.length ||
    b.row.updated - a.row.updated ||
    compareText(a.row.path, b.row.path) ||
    compareText(a.row.space, b.row.space)
  )
}
