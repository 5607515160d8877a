import { answerJobs } from './answer-jobs.ts'
import { type MarkdownJob, runJob } from './jobs.ts'

answerJobs((job: MarkdownJob) => runJob(job))
