import { blockDiff } from '../diff/block-diff.ts'
import { sourceDiff } from '../diff/source-diff.ts'
import { tryEdits } from '../edits/apply-edits.ts'
import { hideExternalImages } from '../external-images.ts'
import { findLinkPlaces } from '../link-places.ts'
import { analysePage, renderPage, renderPlain } from '../page.ts'
import { findQuote, toLineRanges } from '../quotes/find-quote.ts'
import { findVisible } from '../quotes/find-visible.ts'
import { movePlaces } from '../quotes/move-places.ts'
import { packLists } from './large-lists.ts'

/** What the engine lets a worker do, by the kind of a job. */
export const JOBS = {
  analyse: (body: string) => packLists(analysePage(body)),
  render: (body: string) => packLists(renderPage(body)),
  plain: (body: string) => packLists(renderPlain(body)),
  places: findLinkPlaces,
  source: sourceDiff,
  blocks: blockDiff,
  moves: movePlaces,
  visible: findVisible,
  quote: findQuote,
  lines: toLineRanges,
  images: hideExternalImages,
  edit: tryEdits,
}

export type JobKind = keyof typeof JOBS
export type JobInput<Kind extends JobKind> = Parameters<(typeof JOBS)[Kind]>
export type JobResult<Kind extends JobKind> = ReturnType<(typeof JOBS)[Kind]>

/** A job as it is sent to a worker. */
export interface MarkdownJob<Kind extends JobKind = JobKind> {
  readonly kind: Kind
  readonly input: JobInput<Kind>
}

/** Does a job on the calling thread. */
export function runJob<Kind extends JobKind>({ kind, input }: MarkdownJob<Kind>): JobResult<Kind> {
  const run: (...input: never[]) => unknown = JOBS[kind]
  return run(...(input as readonly unknown[] as never[])) as JobResult<Kind> // as the table says
}
