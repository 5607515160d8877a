import { answerJobs } from './answer-jobs.ts'
import { type MarkdownJob, resultOf } from './jobs.ts'

answerJobs((job: MarkdownJob) => resultOf(job))
