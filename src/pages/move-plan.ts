import { setImmediate as turn } from 'node:timers/promises'
import type { Ctx } from '../access/ctx.ts'
import type { SpaceAccess } from '../access/space.ts'
import { sightOf } from '../access/visibility.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { type PageAddress, parsePagePath } from '../http/page-address.ts'
import { uuid7 } from '../lib/uuid7.ts'
import type { LinkSource } from '../links/resolve.ts'
import { type ChangedLink, rewriteBody } from '../links/rewrite.ts'
import { type PageLinks, pageLinks } from '../links/targets.ts'
import { type IndexedText, indexedText } from '../search/index-text.ts'
import { unpackBody } from './body-codec.ts'
import type { FoundPage } from './find.ts'
import { type Packed, packRevision } from './pack.ts'
import { listLinking, listMoving, listTaken, type MovingRow, readBodies } from './store-move.ts'
import { pageTitle } from './title.ts'

/** What is to be moved, and where. */
export interface MoveOrder {
  readonly page: FoundPage
  readonly to: { readonly space: SpaceAccess; readonly path: string }
  readonly children: boolean
  readonly rewrite: boolean
}

/** A new body of a page, with everything that is worked out of it. */
export interface Rewrite {
  readonly revisionId: string
  readonly body: Buffer
  readonly packed: Packed
  readonly frontmatter: string
  readonly changed: readonly ChangedLink[]
}

/** A page as it will be when everything has moved. */
export interface PlannedPage {
  readonly row: MovingRow
  readonly title: string
  readonly links: PageLinks
  readonly text: IndexedText
  readonly rewrite: Rewrite | undefined
  /** For a page that stays: its own address. */
  readonly to: string
}

export interface LeftLink {
  readonly space: string
  readonly path: string
  readonly line: number | null
  readonly href: string | null
  readonly reason: 'forbidden' | 'not_found_in_source' | 'too_large'
}

export interface Refusal {
  readonly code: Extract<ErrorCode, 'page_exists' | 'invalid_path'>
  readonly path: string
  readonly detail: string
}

export interface MovePlan {
  readonly moving: readonly PlannedPage[]
  /** Pages that stay where they are, with their links rewritten. */
  readonly linking: readonly PlannedPage[]
  readonly left: readonly LeftLink[]
  readonly refusals: readonly Refusal[]
}

/** So many bodies are held at once beside those that are written. */
const BATCH = 100

/** Works out all that a move does, without writing anything. */
export async function planMove(ctx: Ctx, order: MoveOrder): Promise<MovePlan> {
  const { page, to } = order
  const rows = await listMoving(ctx.db, { spaceId: page.space_id, path: page.path, children: order.children })
  const pathOf = (path: string) => to.path + path.slice(page.path.length)
  const refusals = await refusalsOf(ctx, order, rows, pathOf)
  if (refusals.length > 0) return { moving: [], linking: [], left: [], refusals }
  const moved = new Map(rows.map((row) => [row.path, pathOf(row.path)]))
  const left: LeftLink[] = []
  const target = (address: PageAddress): PageAddress => {
    const path = address.space === page.space_slug ? moved.get(address.path) : undefined
    return path === undefined ? address : { space: to.space.slug, path }
  }
  const plan = (row: MovingRow, space: string, path: string) => (body: Buffer) =>
    planPage(ctx, { row, body, to: { space, path }, target, rewrite: order.rewrite, left })
  const moving = await eachBody(ctx, rows, (row) => plan(row, to.space.slug, pathOf(row.path)))
  if (!order.rewrite) return { moving, linking: [], left, refusals }
  const linking = await listLinking(ctx.db, sightOf(ctx.actor), {
    spaceId: page.space_id,
    addressIds: rows.map((row) => row.address_id),
    pageIds: rows.map((row) => row.page_id),
  })
  for (const { space_slug: space, path, rank } of linking) {
    if (rank < 2) left.push({ space, path, line: null, href: null, reason: 'forbidden' })
  }
  const editable = linking.filter(({ rank }) => rank >= 2)
  const planned = await eachBody(ctx, editable, (row) => plan(row, row.space_slug, row.path))
  return { moving, linking: planned.filter(({ rewrite }) => rewrite), left, refusals }
}

async function refusalsOf(
  ctx: Ctx,
  { page, to }: MoveOrder,
  rows: readonly MovingRow[],
  pathOf: (path: string) => string,
): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  for (const { path } of rows) {
    try {
      parsePagePath(pathOf(path))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusals.push({ code: 'invalid_path', path: pathOf(path), detail: error.message })
    }
  }
  if (refusals.length > 0) return refusals
  const own = new Set(page.space_id === to.space.id ? rows.map((row) => row.page_id) : [])
  const taken = await listTaken(
    ctx.db,
    to.space.id,
    rows.map((row) => pathOf(row.path)),
  )
  return taken
    .filter((row) => !own.has(row.page_id))
    .map(({ path }) => ({ code: 'page_exists', path, detail: `A page stands at \`${path}\` already.` }))
}

/** Reads the bodies of pages, some at a time, and gives others their turn between two. */
async function eachBody<Row extends MovingRow>(
  ctx: Ctx,
  rows: readonly Row[],
  plan: (row: Row) => (body: Buffer) => Promise<PlannedPage>,
): Promise<PlannedPage[]> {
  const planned: PlannedPage[] = []
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH)
    const bodies = new Map((await readBodies(ctx.db, batch)).map((row) => [row.revision_id, row.data]))
    for (const row of batch) {
      const data = bodies.get(row.revision_id)
      // It was written in between, which is found out when it is locked: then everything is planned again.
      if (data) planned.push(await plan(row)(await unpackBody(data)))
      await turn()
    }
  }
  return planned
}

async function planPage(
  ctx: Ctx,
  input: {
    readonly row: MovingRow
    readonly body: Buffer
    readonly to: PageAddress
    readonly target: (address: PageAddress) => PageAddress
    readonly rewrite: boolean
    readonly left: LeftLink[]
  },
): Promise<PlannedPage> {
  const { row, to, target, left } = input
  const { space_slug: space, path } = row
  const old = input.body.toString('utf8')
  const at: LinkSource = { ...to, publicOrigin: ctx.publicUrl }
  const from: LinkSource = { space, path, publicOrigin: ctx.publicUrl }
  const written = input.rewrite
    ? await rewriteBody(ctx.markdown, old, { from, to: at, target })
    : { body: old, facts: await ctx.markdown.analyse(old), changed: [], left: [] }
  for (const { line, href } of written.left)
    left.push({ space, path, line, href, reason: 'not_found_in_source' })
  const body = Buffer.from(written.body, 'utf8')
  const fits = body.length <= Math.max(ctx.config.maxBodyBytes, input.body.length)
  if (!fits) {
    for (const { line, from: href } of written.changed)
      left.push({ space, path, line, href, reason: 'too_large' })
  }
  const facts = fits ? written.facts : await ctx.markdown.analyse(old)
  const title = pageTitle(facts.title, to.path)
  const rewrite = fits && written.body !== old
  return {
    row,
    title,
    links: pageLinks(facts.links, at),
    text: await indexedText(title, rewrite ? written.body : old),
    to: to.path,
    rewrite: rewrite
      ? {
          revisionId: uuid7(),
          body,
          packed: await packRevision(ctx, body, row),
          frontmatter: JSON.stringify(facts.frontmatter),
          changed: written.changed,
        }
      : undefined,
  }
}
