import type { Ctx } from '../access/ctx.ts'
import { withPageLock } from '../access/page-lock.ts'
import { openPersonalSpace, requireRank } from '../access/space.ts'
import { accessSubjectOf, spaceAddressOf } from '../access/visibility.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { recordEvents } from '../events/record.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { replaceLinks, upsertAddresses } from '../links/replace.ts'
import { type PageLinks, pageLinks } from '../links/targets.ts'
import { pageTitle } from '../markdown/page-title.ts'
import { checkInitial, createMetadata } from '../metadata/metadata.ts'
import type { Operation } from '../metadata/patch.ts'
import { type IndexedText, indexedText } from '../search/index-text.ts'
import { indexPages } from '../search/put-text.ts'
import { packRevision, type RevisionData } from './pack-revision.ts'
import { type Page, type PageRow, toCurrent, toPage } from './page.ts'
import { checkPreconditions, type Preconditions } from './preconditions.ts'
import {
  findWritten,
  insertPage,
  insertRevision,
  readTarget,
  type WriterRow,
  type WrittenRow,
} from './store.ts'

export interface WritePage {
  readonly space: string
  readonly path: string
  readonly body: Buffer
  readonly note: string | undefined
  readonly preconditions: Preconditions
  /** The version whose body this is, when an old revision is promoted. */
  readonly restoredFrom?: number
  /** The metadata of a page that this makes; refused where one stands already. */
  readonly metadata?: readonly Operation[]
}

export interface WrittenPage {
  readonly page: Page
  readonly created: boolean
}

/** The revision to be: its id is made before the first attempt, so that a lost answer can be resolved by looking. */
interface Draft {
  readonly revisionId: string
  readonly title: string
  readonly frontmatter: string
  readonly links: PageLinks
  readonly text: IndexedText
  readonly now: Date
}

/**
 * Creates the page, or adds a revision where the preconditions name the current one. Of any number of concurrent
 * writers with one tag exactly one wins. Writers of one page queue in the process; one statement decides.
 */
export async function writePage(ctx: Ctx, input: WritePage): Promise<WrittenPage> {
  const target = await findTarget(ctx, input)
  checkPreconditions(currentOf(target), input.preconditions)
  if (input.metadata) checkInitial(ctx, input.metadata)
  const address = `${target.space_id}/${input.path}`
  return withPageLock(ctx, address, () => writeInTurn(ctx, input, target, address))
}

async function writeInTurn(
  ctx: Ctx,
  input: WritePage,
  seen: WriterRow,
  address: string,
): Promise<WrittenPage> {
  const latest = ctx.latest.get(address)
  // What was written last at an address where no page stands any more says nothing.
  if (latest && seen.page_id !== null && latest.version > seen.version) {
    checkPreconditions(latest, input.preconditions)
  }
  const body = input.body.toString('utf8')
  const facts = await ctx.markdown.analyse(body)
  const title = pageTitle(facts.title, input.path)
  const draft: Draft = {
    revisionId: uuid7(),
    title,
    frontmatter: JSON.stringify(facts.frontmatter),
    links: pageLinks(facts.links, { space: seen.space_slug, path: input.path, publicOrigin: ctx.publicUrl }),
    text: await indexedText(title, body),
    now: ctx.now(),
  }
  for (let target = seen; ; target = await findTarget(ctx, input)) {
    checkPreconditions(currentOf(target), input.preconditions)
    if (input.metadata && target.page_id !== null) throw onlyOnCreate()
    const packed = await packRevision(ctx, input.body, target)
    const done = await inTransaction(ctx, async (tx) => {
      const row = await writeOnce(tx, input, target, draft, packed)
      if (!row) return tx.noChange()
      const latest = pageRow(ctx, input, target, draft, row)
      const page = toPage(latest, target.space_slug, ctx.publicUrl)
      const written: WrittenPage = { page, created: target.page_id === null }
      await tx.saveIdempotentResult(written)
      return { latest, written }
    })
    if (!done) continue
    ctx.contents.put(draft.revisionId, input.body)
    ctx.latest.set(address, toCurrent(done.latest))
    return done.written
  }
}

/** The writer's view of the address; a personal space is made here when its owner first writes to it. */
async function findTarget(ctx: Ctx, input: WritePage): Promise<WriterRow> {
  const read = () =>
    readTarget[spaceAddressOf(input.space)].first(ctx.db, {
      ...accessSubjectOf(ctx.actor),
      slug: input.space,
      path: input.path,
    })
  let target = await read()
  if (!target && (await openPersonalSpace(ctx, input.space))) target = await read()
  return requireRank(target, input.space, 'editor')
}

function currentOf(target: WriterRow) {
  return target.page_id === null ? undefined : toCurrent(target)
}

/** One attempt: undefined when the address changed hands since `target` was read. */
async function writeOnce(
  tx: Ctx & Tx,
  input: WritePage,
  target: WriterRow,
  draft: Draft,
  packed: RevisionData,
): Promise<WrittenRow | undefined> {
  const common = {
    spaceId: target.space_id,
    path: input.path,
    revisionId: draft.revisionId,
    title: draft.title,
    frontmatter: draft.frontmatter,
    note: input.note ?? null,
    size: input.body.length,
    data: packed.data,
    restoredFrom: input.restoredFrom ?? null,
    actorId: tx.actor.id,
    now: draft.now,
  }
  const { page_id: pageId } = target
  const linking = { spaceId: target.space_id, space: target.space_slug, path: input.path }
  if (pageId === null) await upsertAddresses(tx, linking, draft.links)
  const row =
    pageId === null
      ? await insertPage.first(tx.db, common)
      : await insertRevision.first(tx.db, {
          ...common,
          pageId,
          expected: target.version,
          base: packed.base,
          body: packed.body,
        })
  // The statement waited for the transaction whose end was not heard of: now it can be seen whether it was committed.
  if (!row) return tx.commitOutcomeUnknown ? findWritten.first(tx.db, common) : undefined
  await replaceLinks(tx, { ...linking, pageId: row.page_id, links: draft.links, stored: row.links_digest })
  await indexPages(tx, target.space_id, [{ pageId: row.page_id, text: draft.text }])
  await recordEvents(tx, [
    {
      kind: pageId === null ? 'page.created' : 'page.updated',
      spaceId: target.space_id,
      pageId: row.page_id,
      actorId: tx.actor.id,
      at: draft.now,
      data: { path: input.path, title: draft.title, version: row.version },
    },
  ])
  if (input.metadata) {
    const { title } = draft
    const page = { id: row.page_id, spaceId: target.space_id, path: input.path, title, version: row.version }
    await createMetadata(tx, page, input.metadata)
  }
  return row
}

function onlyOnCreate(): AppError {
  return new AppError(
    'invalid_request',
    'The page exists: `template` and `metadata` are for new ones. Change its metadata by PATCH of `/metadata`.',
    { issues: [{ path: '/metadata', message: 'must be left out where the page exists' }] },
  )
}

function pageRow(ctx: Ctx, input: WritePage, target: WriterRow, draft: Draft, row: WrittenRow): PageRow {
  const { id, name, kind } = ctx.actor
  const created = target.page_id === null
  return {
    path: input.path,
    title: draft.title,
    version: row.version,
    frontmatter: draft.frontmatter,
    note: input.note ?? null,
    created_at: created ? draft.now : target.created_at,
    created_by: created ? id : target.created_by,
    created_by_name: created ? name : target.created_by_name,
    created_by_kind: created ? kind : target.created_by_kind,
    updated_at: draft.now,
    updated_by: id,
    updated_by_name: name,
    updated_by_kind: kind,
  }
}
