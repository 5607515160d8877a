import { analysePage } from '@recto/markdown/analyse.ts'
import { answerJobs } from '@recto/markdown/engine/answer-jobs.ts'
import { type MarkdownJob, runJob } from '@recto/markdown/engine/jobs.ts'
import { type BlameJob, foldBlame } from '../blame/fold.ts'
import { convertLinks, unshared } from './buffers.ts'
import { type BodyData, type DeriveJob, deriveData } from './derive-body.ts'

answerJobs((job: MarkdownJob | DeriveJob | BlameJob) => {
  if (job.kind === 'blame') return foldBlame(job)
  return job.kind === 'derive' ? derive(job) : runJob(job)
})

async function derive(job: DeriveJob): Promise<BodyData> {
  const data = await deriveData(analysePage(job.body), job)
  return { ...data, links: convertLinks(data.links, unshared) }
}
