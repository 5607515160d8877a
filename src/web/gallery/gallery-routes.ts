import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isOrgAdmin } from '../../access/caller.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { mayMakeSpaces } from '../../spaces/space.ts'
import { catalogueState } from '../../templates/catalogue-state.ts'
import { createSpaceFromTemplate } from '../../templates/create-space.ts'
import { gallery } from '../../templates/gallery.ts'
import { previewTemplate } from '../../templates/preview.ts'
import { gallerySourceSchema, templateParams } from '../../templates/schema.ts'
import { removeTemplate } from '../../templates/snapshot.ts'
import type { TemplateSource } from '../../templates/space-template.ts'
import { csrfField } from '../forms.ts'
import { withQuery } from '../rows.ts'
import { type Attempt, fieldsSchema, type Screen, sendScreen, submitForm } from '../screen.ts'
import { newSpaceOf } from '../spaces/new-space-routes.ts'
import { galleryScreen, templateUrl } from './gallery-view.ts'
import { templateScreen } from './template-view.ts'

const done = { done: Type.Optional(Type.String()) }
const galleryQuery = Type.Object(
  { source: gallerySourceSchema, cursor: pagingParameters.cursor, ...done },
  { additionalProperties: false },
)
const templateQuery = Type.Object(
  { page: Type.Optional(Type.String({ maxLength: 8192 })), ...done },
  { additionalProperties: false },
)
const params = templateParams
const forms = { schema: { hide: true, params, body: fieldsSchema } }

interface Address {
  readonly source: TemplateSource
  readonly id: string
}

/** The gallery of space templates. */
export async function galleryRoutes(app: Server): Promise<void> {
  app.get('/gallery', { schema: { hide: true, querystring: galleryQuery } }, async (request, reply) => {
    const { ctx } = request
    const { done, ...asked } = request.query
    const [templates, catalogue] = await Promise.all([
      gallery(ctx, { ...asked, limit: 60 }),
      catalogueState(ctx),
    ])
    const told = done === 'removed' ? { done: 'The template was removed.' } : {}
    const view = { templates, catalogue, ...asked, ...told, isOrgAdmin: isOrgAdmin(ctx.actor) }
    return sendScreen(reply, galleryScreen(view))
  })

  app.get(
    '/gallery/:source/:id',
    { schema: { hide: true, params, querystring: templateQuery } },
    async (request, reply) => {
      const told = request.query.done === 'saved' ? 'The template was saved.' : undefined
      return sendScreen(
        reply,
        await template(request, request.params, { page: request.query.page, done: told }),
      )
    },
  )

  app.post('/gallery/:source/:id', forms, async (request, reply) =>
    submitForm(request, reply, {
      act: async () => {
        const space = newSpaceOf(request.body)
        const made = await createSpaceFromTemplate(request.ctx, { ...request.params, space })
        return `/browse/${made.space.slug}?made=${made.pagesCreated}`
      },
      again: (attempt) => template(request, request.params, { attempt }),
    }),
  )

  app.post(
    '/gallery/:source/:id/remove',
    { schema: { ...forms.schema, params: Type.Object({ source: Type.Literal('org'), id: Type.String() }) } },
    async (request, reply) => {
      await removeTemplate(request.ctx, request.params.id)
      return reply.redirect('/gallery?source=org&done=removed', 303)
    },
  )
}

async function template(
  request: FastifyRequest,
  { source, id }: Address,
  shown: {
    readonly page?: string | undefined
    readonly done?: string | undefined
    readonly attempt?: Attempt
  },
): Promise<Screen> {
  const { ctx } = request
  const { done, attempt } = shown
  const urlOf = (path: string) => withQuery(templateUrl({ source, id }), { page: path })
  const preview = await previewTemplate(ctx, { source, id, path: shown.page }, urlOf)
  return templateScreen({
    preview,
    csrf: csrfField(request),
    mayUse: mayMakeSpaces(ctx.actor),
    mayRemove: source === 'org' && isOrgAdmin(ctx.actor),
    ...(done !== undefined && { done }),
    ...(attempt && { attempt }),
  })
}
