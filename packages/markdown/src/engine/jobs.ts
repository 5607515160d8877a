import { blockDiff } from '../diff/block-diff.ts'
import { sourceDiff } from '../diff/source-diff.ts'
import { tryEdits } from '../edits/apply-edits.ts'
import type { Edit } from '../edits/edits.ts'
import { hideExternalImages } from '../external-images.ts'
import { findLinkPlaces } from '../link-places.ts'
import { analysePage, renderPage, renderPlain } from '../page.ts'
import { findQuote, type Passage, type Quote, toLineRanges } from '../quotes/find-quote.ts'
import { findVisible, type VisibleQuote } from '../quotes/find-visible.ts'
import { movePlaces, type QuotedPlace } from '../quotes/move-places.ts'
import { packLists } from './large-lists.ts'

/** Jobs that the engine sends to a worker. */
export type MarkdownJob =
  | { readonly kind: 'analyse' | 'render' | 'plain' | 'places'; readonly body: string }
  | { readonly kind: 'source' | 'blocks'; readonly before: string; readonly after: string }
  | { readonly kind: 'moves'; readonly before: string; readonly after: string; readonly places: readonly QuotedPlace[] }
  | { readonly kind: 'visible'; readonly body: string; readonly quote: VisibleQuote }
  | { readonly kind: 'quote'; readonly body: string; readonly quote: Quote }
  | { readonly kind: 'lines'; readonly body: string; readonly passages: readonly Passage[] }
  | { readonly kind: 'images'; readonly body: string; readonly publicUrl: string }
  | { readonly kind: 'edit'; readonly body: string; readonly edits: readonly Edit[]; readonly maxBytes: number }

/** Does a job on the calling thread. */
export function runJob(job: MarkdownJob): unknown {
  switch (job.kind) {
    case 'analyse':
      return packLists(analysePage(job.body))
    case 'render':
      return packLists(renderPage(job.body))
    case 'plain':
      return packLists(renderPlain(job.body))
    case 'places':
      return findLinkPlaces(job.body)
    case 'source':
      return sourceDiff(job.before, job.after)
    case 'blocks':
      return blockDiff(job.before, job.after)
    case 'moves':
      return movePlaces(job.before, job.after, job.places)
    case 'visible':
      return findVisible(job.body, job.quote)
    case 'quote':
      return findQuote(job.body, job.quote)
    case 'lines':
      return toLineRanges(job.body, job.passages)
    case 'images':
      return hideExternalImages(job.body, job.publicUrl)
    case 'edit':
      return tryEdits(job.body, job.edits, job.maxBytes)
  }
}
