import { given } from '@recto/lib/given.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { cancelAnyJob, listAllJobs } from '../../../events/jobs/admin-jobs.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { t } from '../html.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { jobsScreen } from './jobs-view.ts'

const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

/** The jobs of everybody, and cancelling them. */
export const jobsRoutes = registerRoutes(
  screenRoute('/manage/jobs', {
    query,
    view: (request) => {
      const { cursor, done } = request.query
      const text = done === 'cancelled' ? t('The job ends with its next batch.') : undefined
      return jobs(request, { cursor, done: text })
    },
  }),
  formRoute('/manage/jobs/:id/cancel', {
    act: ({ ctx, params }) => whenDone(cancelAnyJob(ctx, params.id), adminUrl('jobs'), 'cancelled'),
    view: (request, failed) => jobs(request, { failed }),
  }),
)

async function jobs({ ctx }: FastifyRequest, options: Shown): Promise<Screen> {
  return jobsScreen({ ...options, jobs: await listAllJobs(ctx, given({ cursor: options.cursor })) })
}
