import type { Language } from '@recto/lib/languages.ts'
import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { type AnalysedPage, analysePage, pageTitle } from '@recto/markdown/analyse.ts'
import { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import type { LinkSource } from '../../links/resolve.ts'
import { type PageLinks, pageLinks } from '../../links/targets.ts'
import { type IndexedMetadata, type IndexedText, indexedText } from '../../search/index-text.ts'
import { convertLinks, toBuffer } from './buffers.ts'

/** A body at the address of its page. */
export interface BodyToDerive {
  readonly from: LinkSource
  readonly body: string
  /** That of the space. */
  readonly language: Language
  readonly metadata: IndexedMetadata | null | undefined
  /** The title of the page, if it has one already. */
  readonly title?: string
}

/** What is stored with a body. */
export interface BodyData {
  readonly title: string
  readonly frontmatter: string
  readonly links: PageLinks
  readonly text: IndexedText
}

/** The job that the worker does in addition to those of Markdown. */
export type DeriveJob = BodyToDerive & { readonly kind: 'derive' }

/** Starts the engine whose workers also derive what is stored with a body. */
export function startMarkdown({ workerIdleMs: idleMs, ...memory }: MemoryPlan, cpuMs: number): MarkdownEngine {
  const script = new URL('./body-worker.ts', import.meta.url)
  return new MarkdownEngine({ ...memory, idleMs, cpuMs, script, owner: currentOwner })
}

/**
 * Derives what is stored with a body; throws `markdown_too_complex` like `analyse`. A large body is parsed, tokenised
 * and hashed in a worker, which answers with few texts: many objects take the main thread long.
 */
export async function deriveBody(markdown: MarkdownEngine, page: BodyToDerive): Promise<BodyData> {
  if (markdown.isInline('analyse', page.body)) return deriveData(analysePage(page.body), page)
  const job: DeriveJob = { kind: 'derive', ...page }
  const data = (await markdown.run(job)) as BodyData
  return { ...data, links: convertLinks(data.links, toBuffer) }
}

/** What follows from the facts of a body. */
export async function deriveData(facts: AnalysedPage, page: Omit<BodyToDerive, 'body'>): Promise<BodyData> {
  const { from, language, metadata, title = pageTitle(facts.title, from.path) } = page
  return {
    title,
    frontmatter: JSON.stringify(facts.frontmatter),
    links: await pageLinks(facts, from),
    text: await indexedText({ path: from.path, title, facts, language, metadata }),
  }
}
