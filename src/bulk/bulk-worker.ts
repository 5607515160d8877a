import { parentPort } from 'node:worker_threads'
import { unpackBody } from '../lib/body-codec.ts'
import type { LinkSource } from '../links/resolve.ts'
import { type PageLinks, pageLinks } from '../links/targets.ts'
import { analysePage } from '../markdown/analyse.ts'
import { isCheap } from '../markdown/cost.ts'
import type { WorkerMessage } from '../markdown/pool.ts'
import { type DerivedPageData, derivePageData } from './derive-page-data.ts'
import { readMoveMap, type SharedMoveMap } from './move-map.ts'
import { type BodyToMove, type PlannedBody, planBody } from './plan-body.ts'

/** The bodies of a page that is to be made, the oldest first. */
export interface PageToDerive {
  readonly from: LinkSource
  readonly bodies: readonly string[]
}

/** A page whose links are asked for, with its body packed whole. */
export interface PageToLink {
  readonly from: LinkSource
  readonly data: Uint8Array
}

/** What the worker is asked. */
export type BulkJob =
  | { readonly kind: 'workOut'; readonly items: readonly PageToDerive[] }
  | { readonly kind: 'links'; readonly items: readonly PageToLink[] }
  | { readonly kind: 'move'; readonly items: readonly BodyToMove[]; readonly move: SharedMoveMap }

/** What it answers, in the order of the items: nothing where a body is too large or too dear to be read without a limit. */
export interface BulkAnswers {
  readonly workOut: readonly (DerivedPageData | undefined)[]
  readonly links: readonly (PageLinks | undefined)[]
  readonly move: readonly (PlannedBody | undefined)[]
}

const MAX_LENGTH = 256 * 1024
/** Microseconds at worst: nobody but the others of the job waits here. */
const BUDGET = 200_000

const send = (answer: WorkerMessage) => parentPort?.postMessage(answer)

parentPort?.on('message', async (job: BulkJob) => {
  try {
    const value: BulkAnswers[BulkJob['kind']][number][] = []
    // One after the other: what is worked on at once is held at once.
    if (job.kind === 'workOut') for (const item of job.items) value.push(await workOutOne(item))
    else if (job.kind === 'links') for (const item of job.items) value.push(await linksOfOne(item))
    else for (const item of job.items) value.push(await planOne(item, job.move))
    send({ value })
  } catch (error) {
    send({ error })
  }
})
send({ ready: true })

function isReadable(body: string): boolean {
  return body.length <= MAX_LENGTH && isCheap('analyse', body, BUDGET)
}

async function workOutOne({ from, bodies }: PageToDerive): Promise<DerivedPageData | undefined> {
  if (!bodies.every(isReadable)) return undefined
  const done = await derivePageData(async (body) => analysePage(body), from, bodies)
  const { packed } = done
  return {
    ...done,
    packed: {
      ...packed,
      revisions: packed.revisions.map((revision) => ({ ...revision, data: exact(revision.data) })),
      head: packed.head && exact(packed.head),
    },
    links: exactLinks(done.links),
  }
}

async function linksOfOne({ from, data }: PageToLink): Promise<PageLinks | undefined> {
  const body = (await unpackBody(Buffer.from(data.buffer, data.byteOffset, data.length))).toString('utf8')
  return isReadable(body) ? exactLinks(pageLinks(analysePage(body).links, from)) : undefined
}

async function planOne(page: BodyToMove, move: SharedMoveMap): Promise<PlannedBody | undefined> {
  let readable = true
  const analyse = async (body: string) => {
    readable &&= isReadable(body)
    // What is not readable is thrown away, whatever comes of it.
    return analysePage(readable ? body : '')
  }
  const planned = await planBody(analyse, page, readMoveMap(move))
  if (!readable) return undefined
  const { links, rewrite } = planned
  return {
    ...planned,
    links: exactLinks(links),
    rewrite: rewrite && {
      ...rewrite,
      packed: { data: exact(rewrite.packed.data), body: rewrite.packed.body && exact(rewrite.packed.body) },
    },
  }
}

function exactLinks(links: PageLinks): PageLinks {
  return { ...links, digest: links.digest && exact(links.digest) }
}

/** A message takes the whole memory along that a buffer is a part of. */
function exact(buffer: Buffer): Buffer {
  if (buffer.length === buffer.buffer.byteLength) return buffer
  return Buffer.from(new Uint8Array(buffer).buffer)
}
