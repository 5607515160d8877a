import { parseSlug } from '@recto/contract/page-address.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { Type } from 'typebox'
import { filesOfSpace } from '../../../content/files/list.ts'
import { NO_SPACE } from '../../../content/links/annotate-links.ts'
import { brokenLinks, orphans, wantedPages } from '../../../content/links/reports.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import type { List, PageQuery } from '../../../platform/http/paging.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { listArguments, listLines, spaceArgument } from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { defineTool } from '../tool.ts'

interface Line {
  readonly line: string
}
type Report = (ctx: PagesCtx, query: PageQuery & { readonly space: string }) => Promise<List<Line>>

const REPORTS: Readonly<Record<string, Report>> = {
  async broken(ctx, query) {
    const list = await brokenLinks(ctx, query)
    return withLines(
      list,
      ({ kind, reason, source, target, line, text }) =>
        `${query.space}/${source.path} line ${line}: ` +
        `[${text}] to ${reason === 'missing' ? `missing ${kind}` : kind} ${target.space}/${target.path}` +
        (reason === 'missing' ? '' : ` (${NO_SPACE.toLowerCase()})`),
    )
  },
  async wanted(ctx, query) {
    const list = await wantedPages(ctx, query)
    return withLines(
      list,
      ({ space, path, pageCount }) => `${space}/${path}: linked from ${counted(pageCount, 'page')}`,
    )
  },
  async 'unused-files'(ctx, query) {
    const list = await filesOfSpace(ctx, { ...query, unused: true })
    return withLines(list, ({ path, size, contentType }) => `${query.space}/${path}: ${contentType}, ${size} bytes`)
  },
  async orphans(ctx, query) {
    const list = await orphans(ctx, query)
    return withLines(list, ({ path, title }) => `${query.space}/${path}: ${title}`)
  },
}

export const listReports = defineTool({
  name: 'context_list_reports',
  title: 'Reports on the links of a space',
  description:
    'Lists broken links and images, wanted pages (missing, but linked to), orphans (no page links to them), ' +
    'or files that no page uses.',
  scope: 'read',
  input: strictObject({ space: spaceArgument, report: Type.String({ enum: Object.keys(REPORTS) }), ...listArguments }),
  async run(ctx, { space, report, ...input }) {
    const query = { space: parseSlug(space) }
    const read = REPORTS[report]
    if (!read) throw new Error(`The report ${report} is not defined`)
    const { items, nextCursor } = await fittingPage(input, (paging) => read(ctx, { ...query, ...paging }))
    return {
      data: { items: items.map(({ line: _, ...item }) => item), nextCursor },
      text: [
        listLines(
          items.map(({ line }) => line),
          nextCursor,
          'Nothing to mend in this report: see the other reports.',
        ),
      ],
    }
  },
})

function withLines<T extends object>({ items, nextCursor }: List<T>, toLine: (item: T) => string): List<Line> {
  return { items: items.map((item) => ({ ...item, line: toLine(item) })), nextCursor }
}
