import type { Ctx } from '../access/ctx.ts'
import { requirePage } from '../access/page.ts'
import { accessSubjectOf } from '../access/visibility.ts'
import { type PageAddress, pageUrl } from '../http/page-address.ts'
import { type PageQuery, pageOf, windowOf } from '../http/paging.ts'
import type { Backlink, OutboundLink, PageLinksAnswer } from './schema.ts'
import { type BacklinkRow, listBacklinks } from './store-backlinks.ts'
import { listOutbound, type OutboundRow } from './store-read.ts'

/** The links of a page, and the pages that link to it as far as the caller can read them. */
export async function readPageLinks(ctx: Ctx, input: PageAddress & PageQuery): Promise<PageLinksAnswer> {
  const page = await requirePage(ctx, input, 'viewer')
  const window = windowOf(ctx, `links/${page.spaceId}/${page.path}`, input, ['text', 'text'])
  const [afterSpace = '', afterPath = ''] = (window.after ?? []).map(String)
  const subject = accessSubjectOf(ctx.actor)
  const [outbound, backlinks] = await Promise.all([
    listOutbound.all(ctx.db, { ...subject, spaceId: page.spaceId, pageId: page.id }),
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
  const list = pageOf(window, backlinks, (row) => [row.space, row.path], toBacklink)
  return {
    space: page.space,
    path: page.path,
    outbound: toOutbound(ctx, outbound),
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
