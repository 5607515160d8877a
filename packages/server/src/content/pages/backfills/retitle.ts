import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@recto/contract/errors.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { AnalysedPage } from '@recto/markdown/analyse.ts'
import { pageTitle } from '@recto/markdown/page-title.ts'
import { autocommit, inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { indexedText } from '../../search/index-text.ts'
import { indexPages, type TextOfPage } from '../../search/put-text.ts'
import type { BulkCtx } from '../many/ctx.ts'
import { startBackfill } from './backfill.ts'
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

const BATCH = { limit: 200, bytes: 2 * 1024 * 1024 }

/**
 * A background backfill: titles and front matter of all revisions that were derived by older rules are derived again.
 * A migration requests it.
 */
export function startRetitling(host: Host): AsyncDisposable {
  return startBackfill(host, {
    lease: 'retitling',
    failure: 'the titles of pages were not all read again; this is tried again',
    isDue: async () => (await findRetitling(host.db)) !== undefined,
    next: () => retitleNext(host),
  })
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
  const changes = await readTitlesAgain(host, rows)
  await inTransaction(host, async (tx) => {
    await storeTitles(tx, changes)
    await advanceRetitling(tx, last)
  })
  return true
}

/** What differs from the stored values, by the present rules. */
interface TitleChanges {
  readonly revisions: readonly Retitled[]
  /** The pages whose latest revision is among them, and their texts for the search index by page. */
  readonly pages: readonly Retitled[]
  readonly texts: ReadonlyMap<number, TextOfPage['text']>
}

async function readTitlesAgain(host: Host, rows: readonly TitledRow[]): Promise<TitleChanges> {
  const revisions: Retitled[] = []
  const pages: Retitled[] = []
  const texts = new Map<number, TextOfPage['text']>()
  for (const row of rows) {
    // Yields to other work.
    await turn()
    const body = (await unpackBody(row.data, row.base_data ? await unpackBody(row.base_data) : undefined)).toString()
    const facts = await analyse(host, body)
    if (!facts) continue
    const newTitle = toRetitled(row, facts)
    if (newTitle.title !== row.title) revisions.push(newTitle)
    if (row.page_title === null) continue
    if (newTitle.title === row.page_title && newTitle.frontmatter === row.page_frontmatter) continue
    pages.push(newTitle)
    const { path, language, indexed_metadata: metadata } = row
    texts.set(row.page_id, await indexedText({ path, title: newTitle.title, facts, language, metadata }))
  }
  return { revisions, pages, texts }
}

async function storeTitles(tx: Tx, { revisions, pages, texts }: TitleChanges): Promise<void> {
  if (revisions.length > 0) await putRevisionTitles(tx, revisions)
  const updatedIds = new Set(pages.length > 0 ? await putPageTitles(tx, pages) : [])
  const indexedPages = pages.filter(({ page_id }) => updatedIds.has(page_id))
  for (const [spaceId, group] of Map.groupBy(indexedPages, ({ space_id }) => space_id)) {
    const newTitles = group.flatMap(({ page_id: pageId }) => {
      const text = texts.get(pageId)
      return text ? [{ pageId, text }] : []
    })
    await indexPages(tx, spaceId, newTitles)
  }
}

/** Title and front matter of a revision by the present rules. */
function toRetitled({ space_id, page_id, version, path }: TitledRow, facts: AnalysedPage): Retitled {
  const title = pageTitle(facts.title, path)
  return { space_id, page_id, version, path, title, frontmatter: JSON.stringify(facts.frontmatter) }
}

/** The facts of a body; undefined: it is too complex, and the page keeps its stored values. */
export async function analyse(
  { pages: { markdown } }: Pick<Host, 'pages'>,
  body: string,
): Promise<AnalysedPage | undefined> {
  try {
    return await markdown.analyse(body)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
