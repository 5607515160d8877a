import type { CacheState } from '@recto/lib/lru.ts'
import { registerSampled, type SampledMetric } from '@recto/lib/sampled.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { Registry } from 'prom-client'
import type { FilesDeps } from '../files/ctx.ts'
import type { PagesDeps } from './ctx.ts'

/** The state of one process that metrics show. */
interface Measured {
  readonly pages: PagesDeps
  readonly files: Pick<FilesDeps, 'readyVariants'>
  readonly snippets: Pick<Pool, 'jobs'>
  /** The cache of page documents. */
  readonly documents: CacheState
}

/** Registers metrics of the caches, the workers, and the queue of writers. */
export function processMetrics(registry: Registry, measuredParts: Measured): void {
  const { writers } = measuredParts.pages
  registerSampled(registry, [
    ...cacheMetrics(measuredParts),
    ...workerMetrics(measuredParts),
    {
      name: 'recto_page_writers_waiting',
      help: 'Requests that wait for another write of the same page.',
      sample: () => writers.waitingTotal,
    },
  ])
}

function cacheMetrics({ pages, files, documents }: Measured): readonly SampledMetric[] {
  const { contents, hints } = pages.contents.caches
  const cacheStates = { contents, documents, hints, variants: files.readyVariants }
  const caches = { ...cacheStates, latest: pages.latest }
  const each = (of: Readonly<Record<string, CacheState>>, value: keyof CacheState) => () =>
    Object.fromEntries(Object.entries(of).map(([name, cache]) => [name, cache[value]]))
  return [
    {
      type: 'counter',
      name: 'recto_cache_hits_total',
      help:
        'Lookups that a cache answered: bodies and HTML (`contents`), documents of pages (`documents`), ' +
        'the revision of an address (`hints`), variants of images (`variants`), ' +
        'the latest version of a page for its writers (`latest`).',
      label: 'cache',
      sample: each(caches, 'hits'),
    },
    {
      type: 'counter',
      name: 'recto_cache_misses_total',
      help: 'Lookups that a cache could not answer.',
      label: 'cache',
      sample: each(caches, 'misses'),
    },
    { name: 'recto_cache_entries', help: 'Entries of a cache.', label: 'cache', sample: each(caches, 'size') },
    {
      name: 'recto_cache_bytes',
      help: 'What the entries of a cache are counted as.',
      label: 'cache',
      sample: each(cacheStates, 'weight'),
    },
  ]
}

function workerMetrics({ pages, snippets }: Measured): readonly SampledMetric[] {
  const jobs = (state: 'running' | 'queued') => () => ({
    markdown: pages.markdown.jobs()[state],
    bulk: pages.bulk.jobs()[state],
    snippets: snippets.jobs()[state],
  })
  return [
    {
      name: 'recto_worker_jobs_running',
      help:
        'Jobs that run in a worker thread: bodies and comparisons (`markdown`), imports, ' +
        'moves and rebuilds (`bulk`), search results with large pages (`snippets`).',
      label: 'pool',
      sample: jobs('running'),
    },
    {
      name: 'recto_worker_jobs_queued',
      help: 'Jobs that wait for a worker thread.',
      label: 'pool',
      sample: jobs('queued'),
    },
  ]
}
