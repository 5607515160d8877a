import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { findQuote, toLines } from '@recto/markdown/quotes/find-quote.ts'
import { autocommit } from '../../platform/database/transaction.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readPage } from '../pages/read.ts'
import type { ThreadQuote } from './schema.ts'
import { type FollowedPlace, listOldPlaces, type OldPlace, savePlaces } from './store-places.ts'
import type { Place, ThreadSubject } from './store-threads.ts'

/** Characters of the body that are kept on either side of a quote, so that it is found again. */
const CONTEXT = 32
/** Versions that are compared with the latest one; of older ones the quotes alone are looked for. */
const MAX_VERSIONS = 50

/** A quote with its place in a version of a page. */
export interface QuotedPassage {
  readonly quote: Required<ThreadQuote>
  readonly place: Place
  readonly pageId: number
}

/** Finds a quote in a version of a page, the latest by default; throws unless it is there once. */
export async function findPassage(
  ctx: PagesCtx,
  address: PageAddress & { readonly version?: number | undefined },
  quote: ThreadQuote,
): Promise<QuotedPassage> {
  const { content, version, row } = await readPage(ctx, toVersioned(address))
  const body = content.body.toString('utf8')
  const passages = findQuote(body, quote)
  const [passage] = passages
  if (!passage) {
    const detail = `Version ${version} of \`${address.path}\` does not have the quote as it is written.`
    throw new AppError('quote_not_found', detail, { issues: [{ path: '/quote', message: 'is not in the page' }] })
  }
  if (passages.length > 1) {
    const lines = passages.map((each) => toLines(body, each).startLine)
    throw new AppError('quote_ambiguous', `The quote is on the lines ${lines.join(', ')}.`, {
      issues: [{ path: '/quote', message: 'is in the page several times' }],
      members: { lines },
    })
  }
  const { start, end } = passage
  const context = {
    prefix: body.slice(Math.max(0, start - CONTEXT), start).toWellFormed(),
    suffix: body.slice(end, end + CONTEXT).toWellFormed(),
  }
  return {
    quote: { ...context, ...quote },
    place: { version, start, end, ...toLines(body, passage) },
    pageId: row.page_id ?? 0,
  }
}

function toVersioned({ space, path, version }: PageAddress & { readonly version?: number | undefined }) {
  return { space, path, ...(version !== undefined && { version }) }
}

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
  const after = latest.content.body.toString('utf8')
  const versions = [...Map.groupBy(oldPlaces, (place) => place.version)].toSorted(([a], [b]) => b - a)
  const places: FollowedPlace[] = []
  for (const [index, [before, group]] of versions.entries()) {
    const isCompared = index < MAX_VERSIONS && before < latest.version
    const base = isCompared ? await readPage(ctx, { ...address, version: before }) : undefined
    const groupPlaces = await moveGroup(ctx, { before: base?.content.body.toString('utf8'), after }, group)
    for (const place of groupPlaces) places.push(place)
  }
  await savePlaces(autocommit(ctx.db), { spaceId, pageId, version: latest.version }, places)
}

export type PageVersion = Extract<ThreadSubject, { readonly pageId: number }> & { readonly version: number }

async function moveGroup(
  ctx: PagesCtx,
  { before, after }: { readonly before: string | undefined; readonly after: string },
  group: readonly OldPlace[],
): Promise<FollowedPlace[]> {
  const passages =
    before === undefined
      ? group.map(({ quote }) => findOnly(after, quote))
      : await ctx.pages.markdown.movePlaces(before, after, group)
  return group.map(({ id }, index) => {
    const passage = passages[index] ?? null
    return { id, passage: passage && { ...passage, ...toLines(after, passage) } }
  })
}

function findOnly(body: string, quote: ThreadQuote) {
  const passages = findQuote(body, quote)
  return passages.length === 1 ? (passages[0] ?? null) : null
}
