import { answerJobs } from '@recto/markdown/engine/answer-jobs.ts'
import { detectType } from './content-type.ts'

/** Parses the type and size of images in a worker: hostile bytes block only the worker. */
answerJobs((head: Uint8Array) => detectType(Buffer.from(head.buffer, head.byteOffset, head.length)))
