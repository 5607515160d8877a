import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { sendTagged } from '../../access/entity-tag.ts'
import { replayAsOrgAdmin, replayInCreatedSpace } from '../../access/replay-authorization.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { notModifiedSchema, TAGGED_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingParameters, strictObject } from '../../platform/http/schemas.ts'
import { createSpaceSchema } from '../spaces/schema.ts'
import { sendJsonStream, streamObject } from './bundle/json-stream.ts'
import { createSpaceFromTemplate } from './create-space.ts'
import { gallery, readSpaceTemplate } from './gallery.ts'
import * as schema from './schema.ts'
import { removeTemplate, snapshotSpace } from './snapshot.ts'
import type { TemplateSource } from './space-template.ts'

const { action, endpoint } = declareEndpoints('Space templates')

export const spaceTemplateRoutes = registerRoutes(
  endpoint({
    route: 'GET /space-templates',
    config: { headers: TAGGED_HEADERS },
    operationId: 'spaceTemplates.list',
    summary: 'List the space templates',
    querystring: strictObject({ source: schema.gallerySourceSchema, ...pagingParameters }),
    response: { 200: listSchema(schema.templateItemSchema), 304: notModifiedSchema },
    handler: async (request, reply) => sendTagged(request, reply, await gallery(request.ctx, request.query)),
  }),
  endpoint({
    route: 'GET /space-templates/:source/:id',
    operationId: 'spaceTemplates.get',
    summary: 'Read a space template with its pages',
    params: schema.templateParams,
    response: { 200: schema.spaceTemplateSchema },
    handler: async (request, reply) => {
      // Not the space of the snapshot: not everybody who sees the template may know it.
      const {
        pages,
        createdFrom: _,
        ...head
      } = await readSpaceTemplate(request.ctx, request.params.source, request.params.id)
      // Streamed: serialising 32 MiB of JSON at once would block the event loop.
      sendJsonStream(reply, streamObject(head, { pages }))
      return reply
    },
  }),
  endpoint({
    route: 'POST /space-templates/:source/:id/spaces',
    config: {
      errors: ['invalid_slug', 'slug_taken'],
      idempotency: replayInCreatedSpace,
      headers: { response: ['Location'] },
    },
    operationId: 'spaceTemplates.createSpace',
    summary: 'Create a space from a template',
    description: 'Atomic: the space is created with all pages and files of the template, or not at all.',
    params: schema.templateParams,
    body: createSpaceSchema,
    response: { 201: schema.createdSpaceSchema },
    handler: async (request, reply) => {
      const createdSpace = await createSpaceFromTemplate(request.ctx, { ...request.params, space: request.body })
      return reply.code(201).header('Location', `/spaces/${createdSpace.space.slug}`).send(createdSpace)
    },
  }),
  endpoint({
    route: 'POST /space-templates/org',
    config: {
      scope: 'admin',
      errors: ['confirmation_required', 'not_found', 'invalid_slug'],
      idempotency: replayAsOrgAdmin,
      headers: { request: ['prefer'], response: ['Location', 'Preference-Applied'] },
    },
    operationId: 'spaceTemplates.create',
    summary: 'Store a snapshot of a space as a template of the organisation',
    description: 'For organisation admins. A template with the same id is replaced.',
    body: schema.snapshotSchema,
    response: { 201: schema.templateItemSchema },
    handler: async (request, reply) => {
      const item = await snapshotSpace(request.ctx, { ...request.body, space: parseSlug(request.body.space) })
      return reply.code(201).header('Location', `/space-templates/org/${item.id}`).send(item)
    },
  }),
  action({
    // Not `/space-templates/org/:id`: the router would look for the other methods of org templates there only.
    route: 'DELETE /space-templates/:source/:id',
    config: { scope: 'admin', errors: ['method_not_allowed'] },
    operationId: 'spaceTemplates.delete',
    summary: 'Delete a template of the organisation',
    description: 'For organisation admins. Spaces created from it are kept.',
    params: schema.templateParams,
    act: async (request) => {
      rejectOtherSources(request.params.source)
      await removeTemplate(request.ctx, request.params.id)
    },
  }),
)

function rejectOtherSources(source: TemplateSource): void {
  if (source === 'org') return
  throw new AppError('method_not_allowed', 'Only templates of the source `org` can be deleted.', {
    headers: { Allow: 'GET, HEAD, OPTIONS' },
  })
}
