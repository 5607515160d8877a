import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { jsonLine, showLine } from '@recto/lib/text/single-line.ts'
import { listSections } from '@recto/markdown/edits/sections.ts'
import { Type } from 'typebox'
import { toEditor } from '../../../access/authors.ts'
import { type Trust, toTrust } from '../../../access/verification.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { type PageRevision, readPage } from '../../../content/pages/read.ts'
import { maskForVisitor } from '../../../identity/principals/visitors.ts'
import { findMovedAddress } from '../../../platform/http/redirects.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { parseAddress } from '../address.ts'
import { addressesArgument } from '../arguments.ts'
import { MAX_CONTENT } from '../bounds.ts'
import { toState } from '../change-request.ts'
import { buildExcerpt, lineStarts } from '../excerpt.ts'
import { noteRead } from '../session-reads.ts'
import { defineTool } from '../tool.ts'
import { trustText } from '../trust-text.ts'

type View = 'whole' | 'outline' | 'first'

/** A page of the result, or why it could not be read. */
interface ReadItem {
  readonly page: string
  /** The address that was asked for, if the page has moved. */
  readonly movedFrom?: string
  readonly version?: number | null
  readonly draft?: number
  readonly title?: string
  readonly trust?: Trust
  readonly content?: string
  readonly totalLines?: number
  /** The first line that is not in the result. */
  readonly nextLine?: number
  readonly error?: string
}

export const getPages = defineTool({
  name: 'context_get_pages',
  title: 'Read several pages',
  description: 'Reads up to 20 pages within one size limit; says which parts are left.',
  scope: 'read',
  changeRequest: 'read',
  visitors: ['pages', 'view', 'lines'],
  input: strictObject({
    pages: addressesArgument(20),
    view: Type.Optional(Type.String({ enum: ['whole', 'outline', 'first'], default: 'whole' })),
    lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10, description: 'For view `first`.' })),
  }),
  async run(ctx, { pages, view = 'whole', lines = 10 }, { session, countFurther }) {
    const items: ReadItem[] = []
    const errors: unknown[] = []
    const names = [...new Set(pages)]
    if (ctx.actor.visitor !== undefined) await countFurther(names.length - 1)
    let remaining = MAX_CONTENT
    for (const name of names) {
      if (remaining <= 0) break
      try {
        const item = await readItem(ctx, session, name, { view: view as View, lines, remaining })
        remaining -= (item.content?.length ?? 0) + name.length
        items.push(item)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        errors.push(error)
        items.push({ page: name, error: `${error.code}: ${error.message}` })
      }
    }
    if (errors.length === names.length) throw errors[0]
    const leftNames = names.slice(items.length)
    return { data: { items, left: leftNames }, text: [...items.map(itemText), ...leftText(leftNames)] }
  },
})

async function readItem(
  ctx: PagesCtx,
  session: string,
  name: string,
  { view, lines, remaining }: { readonly view: View; readonly lines: number; readonly remaining: number },
): Promise<ReadItem> {
  const address = parseAddress(name, ctx.config.publicUrl)
  const { revision, moved } = await readFollowing(ctx, address).catch(async (error: unknown) => {
    throw await maskForVisitor(ctx, error, address.space)
  })
  noteRead(session, revision)
  const body = revision.content.body.toString('utf8')
  const starts = lineStarts(body)
  const { space, row, version } = revision
  const item = {
    page: `${space.slug}/${row.path}`,
    ...(ctx.overlay ? toState(await revision.page()) : { version }),
    title: row.title,
    ...(ctx.actor.visitor === undefined && { trust: toTrust(toEditor(row), revision.verification) }),
    totalLines: starts.length,
    ...(moved && { movedFrom: `${address.space}/${address.path}` }),
  }
  if (view === 'outline') return { ...item, ...(await findOutline(ctx, revision, body, remaining)) }
  const toLine = view === 'first' ? Math.min(lines, starts.length) : starts.length
  const { content, toLine: last, next } = buildExcerpt(body, starts, { fromLine: 1, fromColumn: 1, toLine }, remaining)
  const nextLine = next?.line ?? (last < starts.length ? last + 1 : undefined)
  return { ...item, content, ...(nextLine !== undefined && { nextLine }) }
}

/** Follows a page that has moved; the result has its present address. */
async function readFollowing(ctx: PagesCtx, address: PageAddress) {
  try {
    return { revision: await readPage(ctx, address), moved: false }
  } catch (error) {
    const to = findMovedAddress(error)
    if (!to) throw error
    return { revision: await readPage(ctx, to), moved: true }
  }
}

async function findOutline(ctx: PagesCtx, { version }: PageRevision, body: string, remaining: number) {
  const { headings } = await ctx.pages.markdown.analyse(body)
  let content = ''
  for (const { heading } of listSections(headings)) {
    const line = `${showLine(`${'#'.repeat(heading.level)} ${heading.text} (line ${heading.line})`)}\n`
    if (content !== '' && content.length + line.length > remaining) return { content, nextLine: heading.line }
    content += line
  }
  return { content: content === '' ? `No headings in version ${version}.\n` : content }
}

function itemText({
  page,
  movedFrom,
  version,
  draft,
  title,
  trust,
  content = '',
  totalLines,
  nextLine,
  error,
}: ReadItem) {
  if (error !== undefined) return `=== ${page}: ${error}`
  const rest =
    nextLine === undefined ? [] : [`(${totalLines} lines: context_get_page has the rest from line ${nextLine}.)`]
  const movedText = movedFrom === undefined ? '' : ` (moved from ${movedFrom})`
  return [
    `=== ${page}${movedText}, ${draft === undefined ? `version ${version}` : `draft ${draft}`}: ` +
      `${title}${trust ? trustText(trust) : ''}`,
    { content },
    ...rest,
  ]
}

function leftText(leftNames: readonly string[]): string[] {
  return leftNames.length === 0 ? [] : [`Not read, for size. Call again with pages ${jsonLine(leftNames)}.`]
}
