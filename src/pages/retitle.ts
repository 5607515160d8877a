import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { BulkCtx } from '../bulk/ctx.ts'
import { returnNodeLease, takeNodeLease } from '../database/lease.ts'
import { isOtherReleaseRunning } from '../database/releases.ts'
import { autocommit, inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { unpackBody } from '../lib/body-codec.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { pageTitle } from '../markdown/page-title.ts'
import { indexedText } from '../search/index-text.ts'
import { indexPages, type TextOfPage } from '../search/put-text.ts'
import {
  advanceRetitling,
  endRetitling,
  findRetitling,
  listTitled,
  putPageTitles,
  putRevisionTitles,
  type Retitled,
  type TitledRow,
} from './store-retitle.ts'

type Host = Pick<BulkCtx, 'db' | 'log' | 'pages'>

const LEASE = 'retitling'
const LEASE_SECONDS = 60
const BATCH = { limit: 200, bytes: 2 * 1024 * 1024 }
/** Between batches, so that requests have priority. */
const REST_MS = 20
const RETRY_MS = 10_000

/**
 * A background backfill: titles and front matter that older rules derived are derived again for every revision, on
 * one node at a time. A migration records that it is needed; the position is stored, so that a crash loses one batch
 * at most. Disposing it waits for the current batch.
 */
export function startRetitling(host: Host): AsyncDisposable {
  const stop = new AbortController()
  const working = retitleAll(host, uuid7(), stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await working
    },
  }
}

async function retitleAll(host: Host, holder: string, signal: AbortSignal): Promise<void> {
  const lease = { name: LEASE, holder, seconds: LEASE_SECONDS }
  while (!signal.aborted) {
    let wait = RETRY_MS
    try {
      if (!(await findRetitling(host.db))) return
      if (!(await isOtherReleaseRunning(host.db)) && (await takeNodeLease(autocommit(host.db), lease))) {
        if (await retitleNext(host)) wait = REST_MS
        else await returnNodeLease(autocommit(host.db), lease)
      }
    } catch (error) {
      host.log.warn({ err: error }, 'the titles of pages were not all read again; this is tried again')
    }
    await sleep(wait, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
  }
  await returnNodeLease(autocommit(host.db), lease).catch(() => {}) // else it ends by itself
}

/** Processes the next revisions; false: there are none. */
async function retitleNext(host: Host): Promise<boolean> {
  const after = await findRetitling(host.db)
  const rows = after && (await listTitled(host.db, after, BATCH))
  const last = rows?.at(-1)
  if (!rows || !last) {
    await endRetitling(autocommit(host.db))
    return false
  }
  const revisions: Retitled[] = []
  const pages: Retitled[] = []
  const texts = new Map<number, TextOfPage['text']>()
  for (const row of rows) {
    // Yields to other work.
    await turn()
    const body = (
      await unpackBody(row.data, row.base_data ? await unpackBody(row.base_data) : undefined)
    ).toString()
    const found = await read(host, row, body)
    if (!found) continue
    if (found.title !== row.title) revisions.push(found)
    if (row.page_title === null) continue
    if (found.title === row.page_title && found.frontmatter === row.page_frontmatter) continue
    pages.push(found)
    texts.set(row.page_id, await indexedText(found.title, body))
  }
  await inTransaction(host, async (tx) => {
    if (revisions.length > 0) await putRevisionTitles(tx, revisions)
    const updated = new Set(pages.length > 0 ? await putPageTitles(tx, pages) : [])
    const indexed = pages.filter(({ page_id }) => updated.has(page_id))
    for (const [spaceId, group] of Map.groupBy(indexed, ({ space_id }) => space_id)) {
      await indexPages(
        tx,
        spaceId,
        group.flatMap(({ page_id: pageId }) => {
          const text = texts.get(pageId)
          return text ? [{ pageId, text }] : []
        }),
      )
    }
    await advanceRetitling(tx, last)
  })
  return true
}

/** What the present rules derive from a revision; undefined: its body is too complex, and it keeps its values. */
async function read(
  { pages: { markdown } }: Host,
  { space_id, page_id, version, path }: TitledRow,
  body: string,
): Promise<Retitled | undefined> {
  try {
    const facts = await markdown.analyse(body)
    const title = pageTitle(facts.title, path)
    return { space_id, page_id, version, path, title, frontmatter: JSON.stringify(facts.frontmatter) }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
