import { Type } from 'typebox'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingQuery, strictObject } from '../../platform/http/schemas.ts'
import { cancelAnyJob, jobSchema, listAllJobs } from './admin-jobs.ts'

const { endpoint } = declareEndpoints('Administration')

/** Long work of everybody, for organisation admins. */
export const jobRoutes = registerRoutes(
  endpoint({
    route: 'GET /admin/jobs',
    operationId: 'jobs.list',
    summary: 'List imports, exports and moves that take long, latest first',
    description: 'Those of all people and agents, for a week. What takes less than three seconds is not listed.',
    querystring: strictObject({
      ...pagingQuery.properties,
      running: Type.Optional(Type.Boolean({ description: 'Only those that run.' })),
    }),
    response: { 200: listSchema(jobSchema) },
    handler: (request) => listAllJobs(request.ctx, request.query),
  }),
  endpoint({
    route: 'POST /admin/jobs/:id/cancel',
    config: { errors: ['not_found'] },
    operationId: 'jobs.cancel',
    summary: 'Cancel a job',
    description:
      'It ends with its next batch, within seconds: what an import has written stays, a move changes nothing. ' +
      'One that has ended stays as it is.',
    response: { 200: jobSchema },
    handler: (request) => cancelAnyJob(request.ctx, request.params.id),
  }),
)
