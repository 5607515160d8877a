import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { Ctx } from '../../access/ctx.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { type PageAccess, requirePage } from '../../access/page.ts'
import { readPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { buildPage, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { hasFileSuffix } from './file-types.ts'
import { listFileStates } from './page-files.ts'
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
  const [outbound, references, backlinks] = await Promise.all([
    places
      ? listShownLinks(ctx, { id: page.spaceId, slug: page.space }, places, [source]).then(
          ([shown]) => shown?.links ?? [],
        )
      : listOutbound.all(ctx.db, { ...subject, spaceId: page.spaceId, pageIds: [page.id] }),
    readReferences(ctx, at, page.draft),
    places
      ? listShownBacklinks(ctx, page, places, position)
      : listBacklinks.all(ctx.db, { ...subject, ...at, path: page.path, ...position }),
  ])
  const list = buildPage(window, backlinks, ['space', 'path'], toBacklink)
  return {
    space: page.space,
    path: page.path,
    outbound: toOutbound(ctx, outbound),
    files: await toFiles(ctx, page, references, outbound),
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

/** What a page refers to; a draft with its own body has its own references. */
export async function readReferences(
  { db }: Pick<Ctx, 'db'>,
  page: { readonly spaceId: number; readonly pageId: number },
  draft: Pick<DraftRow, 'file_links'> | undefined,
): Promise<readonly ReferenceRow[]> {
  const rows = draft?.file_links as readonly ReferenceRow[] | null | undefined // of a body
  const ownRows = rows?.map((row) => ({ ...row, maybe_page: row.maybe_page && !row.surely_file }))
  return ownRows ?? listReferences.all(db, page)
}

/**
 * The files that a page refers to, as far as the caller may know them, in the order of its body; a relative link to an
 * existing page is no file, and one to a missing page is one if there is a file at its address.
 */
export async function toFiles(
  ctx: Ctx,
  page: Pick<PageAccess, 'space' | 'spaceId'>,
  references: readonly ReferenceRow[],
  outbound: readonly OutboundRow[],
): Promise<ReferredFile[]> {
  const isOwn = ({ space }: OutboundRow) => space === page.space
  const pages = new Set(outbound.filter((row) => row.exists && isOwn(row)).map(({ path }) => path))
  const writtenFiles = references
    .map((row) => ({ ...row, space: row.slug === '' ? page.space : row.slug, optional: !isReported(row) }))
    .filter(({ path, maybe_page }) => !maybe_page || !pages.has(path))
  const paths = new Set(writtenFiles.flatMap(({ slug, path }) => (slug === '' ? [path] : [])))
  const missing = outbound
    .filter((row) => row.exists === false && row.slug === '' && isOwn(row) && !paths.has(row.path))
    .map(({ space, slug, path, ord, text, line }) => ({ space, slug, path, ord, text, line, optional: true }))
  const files = [...writtenFiles, ...missing].sort((a, b) => a.ord - b.ord)
  const states = await listFileStates(ctx.db, toAccessSubject(ctx.actor), page.spaceId, files)
  const filesByAddress = new Map(states.map(([slug, path, file]) => [`${slug}/${path}`, file]))
  return files.flatMap(({ slug, space, path, text, line, optional }) => {
    const file = filesByAddress.get(`${slug}/${path}`)
    if (optional && !file) return []
    const url = ctx.config.publicUrl + (file?.url ?? fileUrl(space, path))
    return [{ space, path, text, line, exists: file === undefined ? null : file !== null, url }]
  })
}

/**
 * Whether a reference is broken without its file. A row of the last release may say that of a page's name with a dot.
 */
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
