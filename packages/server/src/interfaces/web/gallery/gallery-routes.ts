import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { isOrgAdmin } from '../../../access/caller.ts'
import { mayMakeSpaces } from '../../../content/spaces/space.ts'
import { catalogueState } from '../../../content/templates/catalogue/catalogue-state.ts'
import { createSpaceFromTemplate } from '../../../content/templates/create-space.ts'
import { gallery } from '../../../content/templates/gallery.ts'
import { previewTemplate } from '../../../content/templates/preview.ts'
import { gallerySourceSchema, templateParams } from '../../../content/templates/schema.ts'
import { removeTemplate } from '../../../content/templates/snapshot.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { t } from '../html.ts'
import { formRoute, type Screen, type Shown, screenRoute } from '../screen.ts'
import { readNewSpace } from '../spaces/new-space-routes.ts'
import { GALLERY, spaceUrl, templateUrl, withQuery } from '../urls.ts'
import { galleryScreen } from './gallery-view.ts'
import { templateScreen } from './template-view.ts'

const done = { done: Type.Optional(Type.String()) }
const galleryQuery = strictObject({ source: gallerySourceSchema, cursor: pagingParameters.cursor, ...done })
const templateQuery = strictObject({ page: Type.Optional(Type.String({ maxLength: 8192 })), ...done })
const params = templateParams

type TemplateRequest = FastifyRequest<{ Params: Static<typeof params> }>

/** The gallery of space templates. */
export const galleryRoutes = registerRoutes(
  screenRoute('/gallery', {
    query: galleryQuery,
    view: async ({ ctx, query }) => {
      const { done, ...page } = query
      const [templates, catalogue] = await Promise.all([gallery(ctx, { ...page, limit: 60 }), catalogueState(ctx)])
      const text = done === 'removed' ? t('The template was removed.') : undefined
      return galleryScreen({ templates, catalogue, ...page, done: text, isOrgAdmin: isOrgAdmin(ctx.actor) })
    },
  }),
  screenRoute('/gallery/:source/:id', {
    params,
    query: templateQuery,
    view: (request) => {
      const { page, done } = request.query
      return template(request, { page, done: done === 'saved' ? t('The template was saved.') : undefined })
    },
  }),
  formRoute('/gallery/:source/:id', {
    params,
    act: async ({ ctx, params, body }) => {
      const createdSpace = await createSpaceFromTemplate(ctx, { ...params, space: readNewSpace(body) })
      const count = createdSpace.pagesCreated
      const text = t('The space was created with {count, plural, one {# page} other {# pages}}.', { count })
      return { url: spaceUrl(createdSpace.space.slug), message: { text } }
    },
    view: (request, failed) => template(request, { failed }),
  }),
  formRoute('/gallery/:source/:id/remove', {
    params: Type.Object({ source: Type.Literal('org'), id: Type.String() }),
    act: async ({ ctx, params }) => {
      await removeTemplate(ctx, params.id)
      return withQuery(GALLERY, { source: 'org', done: 'removed' })
    },
  }),
)

async function template(
  request: TemplateRequest,
  options: Shown & { readonly page?: string | undefined },
): Promise<Screen> {
  const { ctx, params } = request
  const { page, done, failed } = options
  const toUrl = (path: string) => withQuery(templateUrl(params), { page: path })
  const preview = await previewTemplate(ctx, { ...params, path: page }, toUrl)
  return templateScreen({
    preview,
    mayUse: mayMakeSpaces(ctx.actor),
    mayRemove: params.source === 'org' && isOrgAdmin(ctx.actor),
    done,
    failed,
  })
}
