import { AppError, inputError } from '@recto/contract/errors.ts'
import { addressIn } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { sendTagged } from '../../../access/entity-tag.ts'
import { pageParams } from '../../../access/schema.ts'
import { endpoint, registerRoutes } from '../../../platform/http/endpoint.ts'
import { RANGE_HEADERS } from '../../../platform/http/openapi/headers.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import {
  hasUnknownParameters,
  ignoreUnknownParameters,
  rejectMisspeltParameters,
} from '../../../platform/http/validation.ts'
import { readBlame } from '../blame/blame.ts'
import { blameSchema } from '../blame/schema.ts'
import { pageWithBodySchema, versionNumber, versionParams } from '../schema.ts'
import { formatParameter, requiresFormat, sendSubtree } from '../tree/subtree-response.ts'
import { type PageDocuments, pageType, sendPage } from './representations.ts'

const images = Type.Optional(
  Type.Literal('show', {
    description:
      'HTML loads images of other sites, which a service with `SVC_EXTERNAL_IMAGES=click` does not do otherwise.',
  }),
)
const REPRESENTATION_ERRORS = [
  'not_acceptable',
  'precondition_failed',
  'markdown_busy',
  'markdown_too_complex',
] as const
const produces = ['text/html', 'text/markdown', 'application/json']

/** A page or one of its revisions as HTML, Markdown or JSON. */
export const representationRoutes = registerRoutes<{ readonly documents: PageDocuments }>(
  endpoint({
    route: 'GET /pages/:space/:path',
    config: {
      visitors: ['images'],
      changeRequest: 'read',
      errors: [...REPRESENTATION_ERRORS, 'change_request_not_supported', 'page_busy'],
      headers: RANGE_HEADERS,
    },
    tags: ['Pages'],
    operationId: 'pages.get',
    summary: 'Read a page',
    description:
      'HTML by default; Markdown by the suffix `.md` or `Accept: text/markdown`; JSON by `Accept: ' +
      'application/json`. `format=md`: the page and all below it as one Markdown document.',
    produces,
    params: pageParams,
    querystring: strictObject({
      version: Type.Optional(versionNumber),
      images,
      view: Type.Optional(
        Type.Literal('blame', { description: 'JSON: which version changed each line last, and who wrote that.' }),
      ),
      format: formatParameter,
      cursor: pagingParameters.cursor,
    }),
    preValidation: ignoreParametersOfDocuments,
    response: { 200: Type.Union([blameSchema, pageWithBodySchema]), 304: Type.Null({ description: 'Not modified' }) },
    handler: async (request, reply, { documents }) => {
      const { space, path, markdown } = addressIn(request.params)
      const { version, view, format, cursor } = request.query
      if (view) {
        if (format ?? cursor ?? request.query.images) throw blamesAlone()
        const { blame } = await readBlame(request.ctx, { space, path, ...(version && { version }) })
        return sendTagged(request, reply.header('Cache-Control', 'private, no-cache'), blame)
      }
      if (version && request.ctx.overlay) throw new AppError('change_request_not_supported', 'Drafts have no versions.')
      if (format) {
        if (version) throw requiresFormat('version')
        return sendSubtree(request, reply, { space, page: path, ...(cursor !== undefined && { cursor }) })
      }
      if (cursor !== undefined) throw requiresFormat('cursor')
      const externalImages = showsImages(request.query)
      await sendPage(request, reply, documents, { space, path, markdown, externalImages, ...(version && { version }) })
      return reply
    },
  }),
  endpoint({
    route: 'GET /pages/:space/:path/versions/:n',
    config: { errors: REPRESENTATION_ERRORS, headers: RANGE_HEADERS },
    tags: ['Revisions'],
    operationId: 'pages.versions.get',
    summary: 'Read one revision',
    produces,
    params: versionParams,
    querystring: strictObject({ images }),
    preValidation: ignoreParametersOfDocuments,
    response: { 200: pageWithBodySchema, 304: Type.Null({ description: 'Not modified' }) },
    handler: async (request, reply, { documents }) => {
      const { space, path, markdown } = addressIn(request.params)
      const externalImages = showsImages(request.query)
      await sendPage(request, reply, documents, { space, path, markdown, externalImages, version: request.params.n })
      return reply
    },
  }),
)

/** Who sends a link to a person may add parameters; a program that reads Markdown or JSON learns of its mistakes. */
async function ignoreParametersOfDocuments(request: FastifyRequest): Promise<void> {
  if (!hasUnknownParameters(request)) return
  const { format, view } = request.query as { readonly format?: unknown; readonly view?: unknown } // not validated yet
  // text, as all parameters of URLs
  const { markdown } = addressIn(request.params as { readonly space: string; readonly path: string })
  if (markdown || (format ?? view) !== undefined || pageType(request) !== 'text/html') rejectMisspeltParameters(request)
  else ignoreUnknownParameters(request)
}

function blamesAlone(): AppError {
  const detail = 'With `view` a request has no `format`, `cursor` or `images`.'
  return inputError('invalid_request', detail, '/view', 'can only be combined with `version`')
}

function showsImages({ images }: { readonly images?: 'show' }): true | undefined {
  return images === 'show' || undefined
}
