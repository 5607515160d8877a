import { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { toEditor } from '../../access/authors.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { readPlaces, type ShownPlaces } from '../../access/shown-places.ts'
import { requireSpace } from '../../access/space.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { isEmptyQuery, parseQuery } from './query.ts'
import type { Ranked } from './ranking.ts'
import type { Hit, SearchResult } from './schema.ts'
import { buildScope, matchingFor, type Search, type SearchDeps, searchPages, withSnippets } from './search.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import { countPages, fitPassages } from './snippets/passages.ts'
import { type DraftMatch, matchDrafts, readDraftBodies } from './store-drafts.ts'
import type { FoundRow } from './store-found.ts'

/** The size of the ids of drafts in a cursor: of 500, as many as a request has. */
const MAX_ID_BYTES = 4_096

/**
 * Search in a space as the change request of the context shows it: the pages of the index whose text the request
 * leaves, then those whose new text has all words. Where there are some of these, no word of the others is corrected or
 * missing.
 */
export async function searchDrafted(ctx: OverlaidCtx, input: Search, deps: SearchDeps): Promise<SearchResult> {
  const { filters, minTrust } = input
  if (filters !== undefined || minTrust !== undefined)
    throw new AppError('change_request_not_supported', '`filters` and `minTrust` know no drafts.')
  const { id: spaceId, slug } = await requireSpace(ctx, ctx.overlay.space, 'viewer')
  const key = { spaceId, number: ctx.overlay.number ?? 0 }
  const { q, cursor, passages = false, tokens, limit = 50 } = input
  const name = JSON.stringify(['search/drafts', ctx.actor.id, key, q])
  // The cursor of the last pages, which are drafts; others are those of the index.
  const [packedIds] = (cursor === undefined ? undefined : ctx.cursors.open(name, cursor)) ?? []
  const shownIds = packedIds === undefined ? [] : unpackIds(String(packedIds))
  const places = await readPlaces(ctx, spaceId)
  const replacedDrafts = places.drafts.filter(({ is_deleted, revision_id }) => is_deleted || revision_id !== null)
  const drafts = new Map(replacedDrafts.map((draft) => [draft.id, draft]))
  const scope = await buildScope(ctx, parseQuery(q), { spaceId, filters: undefined, except: [] })
  const query = parseQuery(q, scope.languages)
  const isSearched = !isEmptyQuery(query)
  const allMatches = isSearched
    ? await matchDrafts(ctx.db, { ...key, ids: [...drafts.keys()] }, matchingFor(scope, query))
    : []
  const except = replacedDrafts.flatMap(({ page_id }) => page_id ?? [])
  const options = { space: slug, asTyped: allMatches.length > 0, except }
  const index: SearchResult =
    packedIds === undefined ? await searchPages(ctx, { ...input, ...options }, deps) : { items: [], nextCursor: null }
  const indexHits = index.items.flatMap((hit) => showHit(ctx, places, hit))
  if (index.nextCursor !== null) return { ...index, items: indexHits }
  const matches = allMatches.filter(({ id }) => !shownIds.includes(id))
  const most = Math.min(limit, passages ? countPages(tokens) : limit) - index.items.length
  const shownMatches = matches.slice(0, Math.max(most, 0))
  const bodies = await readDraftBodies(ctx.db, { ...key, ids: shownMatches.map(({ id }) => id) })
  const rows = shownMatches.flatMap((match) => toRow(slug, match, drafts.get(match.id), bodies.get(match.id)))
  const draftHits = await withSnippets(ctx, rows, rows, { q, query, passages }, deps)
  const hits = [...indexHits, ...draftHits.map(({ item }) => item)]
  const items = passages ? fitPassages(hits, tokens) : hits
  const ids = shownMatches.slice(0, Math.max(items.length - indexHits.length, 0)).map(({ id }) => id)
  if (ids.length === matches.length) return { ...index, items }
  return { ...index, items, nextCursor: ctx.cursors.seal(name, [packIds([...shownIds, ...ids], MAX_ID_BYTES).text]) }
}

/** The hit of a page whose text the request leaves, where it shows the page; none where another one is in its place. */
function showHit({ config }: OverlaidCtx, { present, arrivals }: ShownPlaces, hit: Hit): Hit[] {
  const { space, alsoIn, url } = hit
  const draft = present.get(hit.path)
  if (!draft && arrivals.has(hit.path)) return []
  const move = (path: string) => present.get(path)?.path ?? path
  const path = move(hit.path)
  const updatedAt = draft?.updated_at.toISOString() ?? hit.updatedAt
  const others = alsoIn && { alsoIn: alsoIn.map(move) }
  return [{ ...hit, path, updatedAt, ...others, ...(url && { url: config.publicUrl + pageUrl(space, path) }) }]
}

/** A draft as a page of the index. */
function toRow(
  space: string,
  match: DraftMatch,
  draft: DraftRow | undefined,
  data: Buffer | undefined,
): (FoundRow & Ranked)[] {
  if (!draft || !data) return []
  const { id, page_path, page_id, base_version, updated_at, path, title, revision_id } = draft
  const version = page_id === null ? (null as never) : (base_version ?? 0) // of a draft only
  const page = {
    page_id: id,
    space,
    path: path ?? page_path ?? '',
    title: title ?? '',
    icon: null,
    verification: null,
    version,
    updated_at,
  }
  const rank = {
    tier: match.in_title ? ('title' as const) : ('rest' as const),
    score: match.score,
    missing: [],
    folded: [],
  }
  return [
    { ...page, ...rank, revision_id: revision_id ?? '', data, editor: toEditor(draft), space_id: 0, links: 0, from: 0 },
  ]
}
