import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { analysePage } from '@recto/markdown/analyse.ts'
import { answerJobs } from '@recto/markdown/engine/answer-jobs.ts'
import { isCheap } from '@recto/markdown/engine/cost.ts'
import type { LinkSource } from '../../links/resolve.ts'
import { type PageLinks, pageLinks } from '../../links/targets.ts'
import { convertBody, convertLinks, toBuffer, unshared } from '../writing/buffers.ts'
import { deriveData } from '../writing/derive-body.ts'
import * as derived from './derive-page-data.ts'
import { readMoveMap, type SharedMoveMap } from './move-map.ts'
import { type BodyToMove, type PlannedBody, planBody } from './plan-body.ts'

/** A page whose links are to be extracted, with its full body compressed. */
export interface PageToLink {
  readonly from: LinkSource
  readonly data: Uint8Array
}

/** A request to the worker. */
export type BulkJob =
  | { readonly kind: 'derive'; readonly items: readonly derived.PageToDerive[] }
  | { readonly kind: 'links'; readonly items: readonly PageToLink[] }
  | { readonly kind: 'move'; readonly items: readonly BodyToMove[]; readonly move: SharedMoveMap }

/** The results in the order of the items; undefined where a body is too large or too expensive for the worker. */
export interface BulkAnswers {
  readonly derive: readonly (derived.DerivedPageData | undefined)[]
  readonly links: readonly (PageLinks | undefined)[]
  readonly move: readonly (PlannedBody | undefined)[]
}

const MAX_LENGTH = 256 * 1024
/** Takes microseconds in the worst case, and only the other items of the job wait for it. */
const BUDGET = 200_000
const PARSER: derived.BodyParser = {
  analyse: async (body) => analysePage(body),
  derive: async (page) => deriveData(analysePage(page.body), page),
}

answerJobs(async (job: BulkJob) => {
  const value: BulkAnswers[BulkJob['kind']][number][] = []
  // One at a time, so that the memory of only one item is in use.
  if (job.kind === 'derive') for (const item of job.items) value.push(await deriveOne(item))
  else if (job.kind === 'links') for (const item of job.items) value.push(await linksOfOne(item))
  else for (const item of job.items) value.push(await planOne(item, job.move))
  return value
})

function isReadable(body: string): boolean {
  return body.length <= MAX_LENGTH && isCheap('analyse', body, BUDGET)
}

async function deriveOne(page: derived.PageToDerive): Promise<derived.DerivedPageData | undefined> {
  if (!page.bodies.every(isReadable)) return undefined
  return derived.convertPageData(await derived.derivePageData(PARSER, page), unshared)
}

async function linksOfOne({ from, data }: PageToLink): Promise<PageLinks | undefined> {
  const body = (await unpackBody(toBuffer(data))).toString('utf8')
  return isReadable(body) ? convertLinks(await pageLinks(analysePage(body), from), unshared) : undefined
}

async function planOne(page: BodyToMove, move: SharedMoveMap): Promise<PlannedBody | undefined> {
  let readable = true
  const analyse = async (body: string) => {
    readable &&= isReadable(body)
    // The result is discarded if a body is not readable.
    return analysePage(readable ? body : '')
  }
  const plannedBody = await planBody(analyse, page, readMoveMap(move))
  if (!readable) return undefined
  const { links, rewrite } = plannedBody
  return {
    ...plannedBody,
    links: convertLinks(links, unshared),
    rewrite: rewrite && { ...rewrite, packed: convertBody(rewrite.packed, unshared) },
  }
}
