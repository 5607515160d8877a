import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { toAccessSubject } from '../../../access/visibility.ts'
import type { Exported } from '../../../content/templates/transfer/export.ts'
import type { WatchedExport } from '../../../content/templates/transfer/send-export.ts'
import { countExported } from '../../../content/templates/transfer/store-export.ts'
import type { JobCounts } from '../../../events/jobs/job.ts'
import type { Jobs, Progress } from '../../../events/jobs/runner.ts'

/** What the screen of an export shows. */
export interface ExportSubject {
  readonly space: string
}

export interface ExportReport {
  readonly pages: number
  readonly files: number
}

/** The same export as a job: it counts what has been read, and ends with the response. */
export async function trackExport(
  { ctx }: Pick<FastifyRequest, 'ctx'>,
  exportStream: Exported,
  { jobs, id, space }: { readonly jobs: Jobs; readonly id: string } & ExportSubject,
): Promise<WatchedExport> {
  const total = await countExported(ctx.db, toAccessSubject(ctx.actor), exportStream.spaceId)
  const { promise, resolve, reject } = Promise.withResolvers<ExportReport>()
  const cancelled = new AbortController()
  let [pages, files] = [0, 0]
  let report: Progress = () => {}
  const counts = (): JobCounts => ({ done: pages + files, total })
  await jobs.track(ctx, id, {
    kind: 'export',
    subject: { space } satisfies ExportSubject,
    work(progress, signal) {
      signal.addEventListener('abort', () => cancelled.abort(signal.reason))
      report = progress
      report(counts())
      return promise
    },
  })
  const countPage = () => {
    pages++
    report(counts())
  }
  const countFile = () => {
    files++
    report(counts())
  }
  return {
    exported: {
      ...exportStream,
      pages: counted(exportStream.pages, countPage),
      files: counted(exportStream.files, countFile),
    },
    signal: cancelled.signal,
    ended(isComplete) {
      if (isComplete) resolve({ pages, files })
      else if (cancelled.signal.aborted) reject(cancelled.signal.reason)
      else reject(new AppError('request_timeout', 'The download was cancelled, or its connection was lost.'))
    },
  }
}

async function* counted<T>(items: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    yield item
    count()
  }
}
