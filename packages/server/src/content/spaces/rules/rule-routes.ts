import { parseSlug } from '@recto/contract/page-address.ts'
import { sendTagged, withEntityTag } from '../../../access/entity-tag.ts'
import { replayWithRole } from '../../../access/replay-authorization.ts'
import { spaceParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { notModifiedSchema, TAGGED_HEADERS, WRITE_HEADERS } from '../../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../../platform/http/schemas.ts'
import { explainAccess, listReadersAt } from './readers.ts'
import { listSpaceRules, readRule, removeRule, setRule } from './rules.ts'
import * as schema from './schema.ts'

const { endpoint } = declareEndpoints('Spaces')
const { endpoint: administration } = declareEndpoints('Administration')

/** The folder rules of a space, and who can read a place by them. */
export const ruleRoutes = registerRoutes(
  endpoint({
    route: 'GET /spaces/:space/readers',
    config: { errors: ['invalid_path'] },
    operationId: 'spaces.readers',
    summary: 'List who can read a page, file or folder',
    description: 'People and agents, by name, with what they may do there. Not for guests.',
    params: spaceParams,
    querystring: schema.readersQuery,
    response: { 200: listSchema(schema.readerSchema) },
    handler: ({ ctx, params, query }) => listReadersAt(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  administration({
    route: 'GET /admin/access',
    config: { errors: ['invalid_path'] },
    operationId: 'principals.access',
    summary: 'Explain what a principal may do at a place, and which row decides',
    querystring: schema.accessQuery,
    response: { 200: schema.accessSchema },
    handler: ({ ctx, query }) => explainAccess(ctx, { ...query, space: parseSlug(query.space) }),
  }),
  endpoint({
    route: 'GET /spaces/:space/rules',
    config: { scope: 'admin' },
    operationId: 'spaces.rules.list',
    summary: 'List the folder rules of a space',
    params: spaceParams,
    querystring: pagingQuery,
    response: { 200: listSchema(schema.ruleSchema) },
    handler: ({ ctx, params, query }) => listSpaceRules(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  endpoint({
    route: 'GET /spaces/:space/rules/:prefix',
    config: { scope: 'admin', errors: ['invalid_path'], headers: TAGGED_HEADERS },
    operationId: 'spaces.rules.get',
    summary: 'Read the rule of a folder',
    params: schema.ruleParams,
    response: { 200: schema.ruleSchema, 304: notModifiedSchema },
    handler: async (request, reply) => {
      const address = { ...request.params, space: parseSlug(request.params.space) }
      return sendTagged(request, reply, await readRule(request.ctx, address))
    },
  }),
  endpoint({
    route: 'PUT /spaces/:space/rules/:prefix',
    config: {
      scope: 'admin',
      errors: ['confirmation_required', 'invalid_path'],
      idempotency: replayWithRole('admin'),
      headers: WRITE_HEADERS,
    },
    operationId: 'spaces.rules.set',
    summary: 'Set who reads and who writes in a folder',
    description:
      'The nearest rule decides, and replaces those above it. Admins of the space always have access. ' +
      'A rule does not move with its pages.',
    params: schema.ruleParams,
    querystring: schema.ruleQuery,
    body: schema.setRuleSchema,
    response: { 200: schema.changedRuleSchema, 201: schema.changedRuleSchema },
    handler: async ({ ctx, params, query: { dryRun = false }, body, headers }, reply) => {
      const address = { ...params, space: parseSlug(params.space) }
      const { rule, added } = await setRule(ctx, address, body, { dryRun, ifMatch: headers['if-match'] })
      const { readers, ...storedRule } = rule
      if (!dryRun) withEntityTag(reply, storedRule)
      return reply.code(added && !dryRun ? 201 : 200).send({ ...storedRule, readers, ...(dryRun && { dryRun }) })
    },
  }),
  endpoint({
    route: 'DELETE /spaces/:space/rules/:prefix',
    config: { scope: 'admin', errors: ['confirmation_required', 'invalid_path'], headers: { request: ['if-match'] } },
    operationId: 'spaces.rules.remove',
    summary: 'Remove the rule of a folder',
    params: schema.ruleParams,
    querystring: schema.ruleQuery,
    response: { 200: schema.removedRuleSchema },
    handler: async ({ ctx, params, query: { dryRun = false }, headers }) => {
      const options = { dryRun, ifMatch: headers['if-match'] }
      const { readers } = await removeRule(ctx, { ...params, space: parseSlug(params.space) }, options)
      return { readers, ...(dryRun && { dryRun }) }
    },
  }),
)
