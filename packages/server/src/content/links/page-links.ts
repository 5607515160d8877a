import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { Ctx } from '../../access/ctx.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { type PageAccess, requirePage } from '../../access/page.ts'
import { readPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { buildPage, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { withDraftedFiles } from './drafted-files.ts'
import { listFileStates } from './page-files.ts'
import { hasFileSuffix } from './resolve.ts'
import type { Backlink, OutboundLink, PageLinksAnswer, ReferredFile } from './schema.ts'
import { listShownBacklinks, listShownLinks } from './shown-links.ts'
import { type BacklinkRow, listBacklinks } from './store-backlinks.ts'
import { listReferences, type ReferenceRow } from './store-files.ts'
import { listOutbound, type OutboundRow } from './store-read.ts'

/** The links of a page, and the pages that link to it as far as the caller can read them. */
export async function readPageLinks(ctx: Ctx, input: PageAddress & PageQuery): Promise<PageLinksAnswer> {
  const page = await requirePage(ctx, input, 'viewer')
  const window = parseWindow(ctx, `links/${page.spaceId}/${page.path}`, input, ['text', 'text'])
  const [afterSpace = '', afterPath = ''] = (window.after ?? []).map(String)
  const subject = toAccessSubject(ctx.actor)
  const position = { afterSpace, afterPath, limit: window.limit + 1 }
  const at = { spaceId: page.spaceId, pageId: page.id }
  const source = { page_id: page.id, draft: page.draft }
  const places = isOverlaid(ctx) ? await readPlaces(ctx, page.spaceId, true) : undefined
  const [outbound, backlinks] = await Promise.all([
    places
      ? listShownLinks(ctx, { id: page.spaceId, slug: page.space }, places, [source]).then(
          ([shown]) => shown?.links ?? [],
        )
      : listOutbound.all(ctx.db, { ...subject, spaceId: page.spaceId, pageIds: [page.id] }),
    places
      ? listShownBacklinks(ctx, page, places, position)
      : listBacklinks.all(ctx.db, { ...subject, ...at, path: page.path, ...position }),
  ])
  const [files = []] = await listReferredFiles(ctx, page, [{ ...source, links: outbound }])
  const list = buildPage(window, backlinks, ['space', 'path'], toBacklink)
  return {
    space: page.space,
    path: page.path,
    outbound: toOutbound(ctx, outbound),
    files,
    backlinks: list.items,
    nextCursor: list.nextCursor,
  }
}

/** Equal links are listed separately, each at its position. */
function toOutbound({ config }: Ctx, rows: readonly OutboundRow[]): OutboundLink[] {
  return rows
    .flatMap((row) =>
      [[row.ord, row.line, row.text] as const, ...(row.more ?? [])].map(([ord, line, text]) => ({
        ord,
        link: {
          space: row.space,
          path: row.path,
          text,
          line,
          exists: row.exists,
          title: row.title,
          redirected: row.redirected,
          url: config.publicUrl + pageUrl(row.now_space, row.now_path),
        },
      })),
    )
    .sort((a, b) => a.ord - b.ord)
    .map(({ link }) => link)
}

/** A page whose files are listed, with its links; with a draft it is what a change request makes of it. */
export interface Referrer {
  readonly page_id: number | null
  readonly draft?: DraftRow | undefined
  readonly links: readonly OutboundRow[]
}

/** The files that some pages of a space refer to, as far as the caller may know them, in the order of the body. */
export async function listReferredFiles(
  ctx: Ctx,
  page: Pick<PageAccess, 'space' | 'spaceId'>,
  pages: readonly Referrer[],
): Promise<ReferredFile[][]> {
  const pageIds = pages.flatMap(({ page_id, draft }) => (draft?.file_links ? [] : (page_id ?? [])))
  const rows = pageIds.length === 0 ? [] : await listReferences.all(ctx.db, { spaceId: page.spaceId, pageIds })
  const rowsByPage = Map.groupBy(rows, ({ page_id }) => page_id)
  const referrers = pages.map(({ page_id, draft, links }) => {
    const references = readDraftReferences(draft) ?? rowsByPage.get(page_id ?? 0) ?? []
    return { isNew: draft?.page_id === null, files: listWrittenFiles(page.space, references, links) }
  })
  const lookUp = async (isNew: boolean) => {
    const files = referrers.flatMap((referrer) => (referrer.isNew === isNew ? referrer.files : []))
    const states = listFileStates(ctx.db, toAccessSubject(ctx.actor), page.spaceId, files)
    const shownStates = isOverlaid(ctx)
      ? withDraftedFiles(ctx, page.spaceId, states, { targets: files, isNew })
      : states
    return new Map((await shownStates).map(([slug, path, file]) => [`${slug}/${path}`, file]))
  }
  const [presentStates, newStates] = await Promise.all([lookUp(false), lookUp(true)])
  return referrers.map(({ isNew, files }) =>
    files.flatMap(({ slug, space, path, text, line, optional }) => {
      const file = (isNew ? newStates : presentStates).get(`${slug}/${path}`)
      if (optional && !file) return []
      const url = ctx.config.publicUrl + (file?.url ?? fileUrl(space, path))
      return [{ space, path, text, line, exists: file === undefined ? null : file !== null, url }]
    }),
  )
}

function readDraftReferences(draft: DraftRow | undefined): readonly ReferenceRow[] | undefined {
  const rows = draft?.file_links as readonly ReferenceRow[] | null | undefined // of a body
  return rows?.map((row) => ({ ...row, maybe_page: row.maybe_page && !row.surely_file }))
}

function listWrittenFiles(space: string, references: readonly ReferenceRow[], outbound: readonly OutboundRow[]) {
  const isOwn = (row: OutboundRow) => row.space === space
  const pages = new Set(outbound.filter((row) => row.exists && isOwn(row)).map(({ path }) => path))
  const writtenFiles = references
    .map((row) => ({ ...row, space: row.slug === '' ? space : row.slug, optional: !isReported(row) }))
    .filter(({ path, maybe_page }) => !maybe_page || !pages.has(path))
  const paths = new Set(writtenFiles.flatMap(({ slug, path }) => (slug === '' ? [path] : [])))
  const missing = outbound
    .filter((row) => row.exists === false && row.slug === '' && isOwn(row) && !paths.has(row.path))
    .map(({ slug, path, ord, text, line }) => ({ space, slug, path, ord, text, line, optional: true }))
  return [...writtenFiles, ...missing].sort((a, b) => a.ord - b.ord)
}

/** Whether a reference is broken without its file; the last release stored so the name of a page with a dot. */
function isReported({ path, surely_file }: ReferenceRow): boolean {
  return surely_file || hasFileSuffix(path)
}

function toBacklink(row: BacklinkRow): Backlink {
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    text: row.text,
    updatedAt: row.updated_at.toISOString(),
    via: row.via_space === null || row.via_path === null ? null : { space: row.via_space, path: row.via_path },
  }
}
