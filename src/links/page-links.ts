import type { Ctx } from '../access/ctx.ts'
import { type PageAccess, requirePage } from '../access/page.ts'
import { accessSubjectOf } from '../access/visibility.ts'
import { fileUrl, type PageAddress, pageUrl } from '../http/addresses/page-address.ts'
import { type PageQuery, pageOf, windowOf } from '../http/paging.ts'
import { listFileStates } from './page-files.ts'
import type { Backlink, OutboundLink, PageLinksAnswer, ReferredFile } from './schema.ts'
import { type BacklinkRow, listBacklinks } from './store-backlinks.ts'
import { listReferences, type ReferenceRow } from './store-files.ts'
import { listOutbound, type OutboundRow } from './store-read.ts'

/** The links of a page, and the pages that link to it as far as the caller can read them. */
export async function readPageLinks(ctx: Ctx, input: PageAddress & PageQuery): Promise<PageLinksAnswer> {
  const page = await requirePage(ctx, input, 'viewer')
  const window = windowOf(ctx, `links/${page.spaceId}/${page.path}`, input, ['text', 'text'])
  const [afterSpace = '', afterPath = ''] = (window.after ?? []).map(String)
  const subject = accessSubjectOf(ctx.actor)
  const [outbound, references, backlinks] = await Promise.all([
    listOutbound.all(ctx.db, { ...subject, spaceId: page.spaceId, pageId: page.id }),
    listReferences.all(ctx.db, { spaceId: page.spaceId, pageId: page.id }),
    listBacklinks.all(ctx.db, {
      ...subject,
      spaceId: page.spaceId,
      pageId: page.id,
      path: page.path,
      afterSpace,
      afterPath,
      limit: window.limit + 1,
    }),
  ])
  const list = pageOf(window, backlinks, ['space', 'path'], toBacklink)
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

/**
 * The files that a page refers to, as far as the caller may know them; a relative link to an existing page is no file.
 */
async function toFiles(
  ctx: Ctx,
  page: PageAccess,
  references: readonly ReferenceRow[],
  outbound: readonly OutboundRow[],
): Promise<ReferredFile[]> {
  const pages = new Set(outbound.filter(({ exists }) => exists).map(({ space, path }) => `${space}/${path}`))
  const files = references
    .map((row) => ({ ...row, space: row.slug === '' ? page.space : row.slug }))
    .filter(({ space, path, maybe_page }) => !maybe_page || !pages.has(`${space}/${path}`))
  const states = await listFileStates(ctx.db, accessSubjectOf(ctx.actor), page.spaceId, files)
  const known = new Map(states.map(([slug, path, file]) => [`${slug}/${path}`, file]))
  return files.map(({ slug, space, path, text, line }) => {
    const file = known.get(`${slug}/${path}`)
    const url = ctx.config.publicUrl + (file?.url ?? fileUrl(space, path))
    return { space, path, text, line, exists: file === undefined ? null : file !== null, url }
  })
}

function toBacklink(row: BacklinkRow): Backlink {
  return {
    space: row.space,
    path: row.path,
    title: row.title,
    text: row.text,
    updatedAt: row.updated_at.toISOString(),
    via:
      row.via_space === null || row.via_path === null ? null : { space: row.via_space, path: row.via_path },
  }
}
