import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../access/ctx.ts'
import { inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { type LinkingPage, replaceAllLinks } from './replace.ts'
import { advance, finish, type HeldRow, lockPages, releaseLease, takeLease } from './store-rebuild.ts'
import { pageLinks } from './targets.ts'

/** A page with its latest body. */
export interface Head {
  readonly spaceId: number
  /** The slug by which its links name its own space. */
  readonly space: string
  readonly pageId: number
  readonly path: string
  readonly version: number
  readonly body: string
}

/** Reads pages with their bodies, in the order of space and id; those that the pages' part keeps. */
export interface Heads {
  after(position: {
    readonly spaceId: number
    readonly pageId: number
    /** The only space; absent: all. */
    readonly within: number | undefined
    readonly limit: number
  }): Promise<Head[]>
  of(spaceId: number, pageIds: readonly number[]): Promise<Head[]>
}

/** Works on rebuilds: it looks for one when it is woken, and now and then. */
export interface Rebuilder extends AsyncDisposable {
  wake(): void
}

type Host = Pick<Runtime, 'db' | 'log' | 'now' | 'markdown' | 'publicUrl'>

/** So few that writers of their pages wait no longer than it takes to compare so many links. */
const BATCH = 100
/** How often pages are read again that were written meanwhile; their writers have stored their links, too. */
const MAX_ROUNDS = 20
/** How soon a rebuild goes on whose process died, beside what is left of its lease. */
const LOOK_EVERY_MS = 10_000

/** Looks for rebuilds from now on. Disposing it waits for the batch under way and leaves the rest to others. */
export function startRebuilder(host: Host, heads: Heads): Rebuilder {
  let stopping = false
  let woken = false
  let working: Promise<void> | undefined

  const work = async (): Promise<void> => {
    try {
      while (woken && !stopping) {
        woken = false
        for (
          let held = await takeLease(host.db);
          held;
          held = stopping ? undefined : await takeLease(host.db)
        ) {
          await rebuild(host, heads, held, () => stopping)
        }
      }
    } catch (error) {
      // What holds the lease does so until it ends; then it is tried again.
      host.log.warn({ err: error }, 'a rebuild of links was interrupted')
    } finally {
      working = undefined
    }
  }
  const wake = () => {
    woken = true
    if (!stopping) working ??= work()
  }
  const timer = setInterval(wake, LOOK_EVERY_MS)
  timer.unref()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopping = true
      clearInterval(timer)
      await working
    },
  }
}

async function rebuild(host: Host, heads: Heads, held: HeldRow, stopping: () => boolean): Promise<void> {
  let at = { spaceId: held.at_space_id, pageId: held.at_page_id }
  while (!stopping()) {
    const next = await heads.after({ ...at, within: held.space_id ?? undefined, limit: BATCH })
    // Of one space, so that a transaction touches no other.
    const batch = next.filter((head) => head.spaceId === next[0]?.spaceId)
    const end = batch.at(-1)
    if (!end) return finish(host.db, held, host.now())
    if (!(await rebuildPages(host, heads, held, batch, end))) return
    at = { spaceId: end.spaceId, pageId: end.pageId }
  }
  await releaseLease(host.db, held)
}

/** Stores the links of some pages of one space; those that are written meanwhile are read again. False: the lease is lost. */
async function rebuildPages(
  host: Host,
  heads: Heads,
  held: HeldRow,
  pages: readonly Head[],
  end: Head,
): Promise<boolean> {
  let links = 0
  let rest = pages
  for (let round = 1; ; round++) {
    const found = await extract(host, rest)
    const result = await inTransaction(host, async (tx) => {
      const locked = new Map(
        (
          await lockPages(
            tx,
            end.spaceId,
            rest.map((head) => head.pageId),
          )
        ).map((row) => [row.id, row.version]),
      )
      const same = rest.filter((head) => locked.get(head.pageId) === head.version)
      const stored = same.flatMap((head) => found.get(head.pageId) ?? [])
      if (stored.length > 0) await replaceAllLinks(tx, end, stored)
      const changed = rest.filter((head) => locked.has(head.pageId) && !same.includes(head))
      const count = stored.reduce((sum, page) => sum + page.links.targets.length, 0)
      const done =
        changed.length > 0 && round < MAX_ROUNDS
          ? { pages: 0, links: 0 }
          : { at: end, pages: pages.length, links: links + count }
      if (!(await advance(tx, held, done))) throw new LeaseLost()
      return { changed: round < MAX_ROUNDS ? changed : [], count }
    }).catch((error: unknown) => {
      if (error instanceof LeaseLost) return undefined
      throw error
    })
    if (!result) return false
    if (result.changed.length === 0) return true
    links += result.count
    rest = await heads.of(
      end.spaceId,
      result.changed.map((head) => head.pageId),
    )
  }
}

class LeaseLost extends Error {}

/** Between two pages others have their turn. A page that takes too long to parse keeps the links that it has. */
async function extract(host: Host, pages: readonly Head[]): Promise<ReadonlyMap<number, LinkingPage>> {
  const found = new Map<number, LinkingPage>()
  for (const { pageId, body, space, path } of pages) {
    try {
      const facts = await host.markdown.analyse(body)
      found.set(pageId, {
        pageId,
        links: pageLinks(facts.links, { space, path, publicOrigin: host.publicUrl }),
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      host.log.warn({ err: error, space, path }, 'the links of a page were left as they are')
    }
    await turn()
  }
  return found
}
