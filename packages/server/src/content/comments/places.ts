import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Passage } from '@recto/markdown/quotes/find-quote.ts'
import { autocommit } from '../../platform/database/database.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { type PageRevision, readPage } from '../pages/read.ts'
import type { ThreadQuote } from './schema.ts'
import { listOldPlaces, savePlaces } from './store-places.ts'
import type { Place, ThreadSubject } from './store-threads.ts'

/** Characters of the body that are kept on either side of a quote, so that it is found again. */
const CONTEXT = 32
const MAX_QUOTE = 1000
/** Versions that are compared with the latest one by one read; the next read compares others. */
const MAX_VERSIONS = 50

/** A quote with its place in a version of a page. */
export interface QuotedPassage {
  readonly quote: Required<ThreadQuote>
  readonly place: Place
  readonly pageId: number
}

/** What a reader has selected in the text of a page as it is shown, and the text around it. */
export interface Selection {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** Finds a quote in a version of a page, the latest by default; throws unless it is there once. */
export async function findQuotedPassage(
  ctx: PagesCtx,
  { space, path, version }: PageAddress & { readonly version?: number | undefined },
  quote: ThreadQuote,
): Promise<QuotedPassage> {
  const { markdown } = ctx.pages
  const revision = await readPage(ctx, { space, path, ...(version !== undefined && { version }) })
  const body = readBody(revision)
  const passages = await markdown.findQuote(body, quote)
  const [passage] = passages
  if (!passage) {
    const detail = `Version ${revision.version} of \`${path}\` does not have the quote as it is written.`
    throw new AppError('quote_not_found', detail, { issues: [{ path: '/quote', message: 'is not in the page' }] })
  }
  if (passages.length > 1) {
    const lines = (await markdown.toLineRanges(body, passages)).map(({ startLine }) => startLine)
    throw new AppError('quote_ambiguous', `The quote is on the lines ${lines.join(', ')}.`, {
      issues: [{ path: '/quote', message: 'is in the page several times' }],
      members: { lines },
    })
  }
  return toQuotedPassage(ctx, revision, passage, quote)
}

/** Finds the passage of the latest version of a page that a reader has selected. */
export async function findSelectedPassage(
  ctx: PagesCtx,
  address: PageAddress,
  selection: Selection,
): Promise<QuotedPassage> {
  const revision = await readPage(ctx, address)
  const passage = await ctx.pages.markdown.findVisible(readBody(revision), selection)
  if (!passage)
    throw new AppError('quote_not_found', 'The passage is not text of the page: select words of one part of it.')
  if (passage.end - passage.start > MAX_QUOTE)
    throw new AppError('invalid_request', `A passage has at most ${MAX_QUOTE} characters.`)
  return toQuotedPassage(ctx, revision, passage)
}

function readBody({ content }: PageRevision): string {
  return content.body.toString('utf8')
}

async function toQuotedPassage(
  ctx: PagesCtx,
  revision: PageRevision,
  { start, end }: Passage,
  quote?: ThreadQuote,
): Promise<QuotedPassage> {
  const body = readBody(revision)
  const [lines = { startLine: 1, endLine: 1 }] = await ctx.pages.markdown.toLineRanges(body, [{ start, end }])
  const context = {
    exact: body.slice(start, end),
    prefix: body.slice(Math.max(0, start - CONTEXT), start).toWellFormed(),
    suffix: body.slice(end, end + CONTEXT).toWellFormed(),
  }
  const place = { version: revision.version, start, end, ...lines }
  return { quote: { ...context, ...quote }, place, pageId: revision.row.page_id ?? 0 }
}

export type PageVersion = Extract<ThreadSubject, { readonly pageId: number }> & { readonly version: number }

/**
 * Looks for the quotes of all threads of a page in its latest version, once for each version: where the difference of
 * the versions has put them, or by their text. What is not found is outdated, and is looked for again in the next one.
 */
export async function followPlaces(ctx: PagesCtx, address: PageAddress, { spaceId, pageId, version }: PageVersion) {
  const oldPlaces = await listOldPlaces(ctx.db, { spaceId, pageId, version })
  if (oldPlaces.length === 0) return
  const latest = await readPage(ctx, address)
  // Another page may stand at the address by now.
  if (latest.row.page_id !== pageId || latest.version < version) return
  const { markdown } = ctx.pages
  const body = readBody(latest)
  const versions = [...Map.groupBy(oldPlaces, (place) => place.version)].toSorted(([a], [b]) => b - a)
  const places: { readonly id: string; readonly passage: Passage | null }[] = []
  for (const [before, group] of versions.slice(0, MAX_VERSIONS)) {
    const base = readBody(await readPage(ctx, { ...address, version: before }))
    const passages = await markdown.movePlaces(base, body, group)
    for (const [index, { id }] of group.entries()) places.push({ id, passage: passages[index] ?? null })
  }
  const ranges = await markdown.toLineRanges(
    body,
    places.map(({ passage }) => passage ?? { start: 0, end: 0 }),
  )
  const placesInLines = places.map(({ id, passage }, index) => {
    const range = ranges[index]
    return { id, passage: passage && range ? { ...passage, ...range } : null }
  })
  await savePlaces(autocommit(ctx.db), { spaceId, pageId, version: latest.version }, placesInLines)
}
