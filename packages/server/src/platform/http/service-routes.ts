import { ERRORS } from '@recto/contract/error-table.ts'
import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { Type } from 'typebox'
import { endpoint, registerRoutes } from './endpoint.ts'
import { linkHeader } from './headers/link-header.ts'

const config = { public: true }
const tags = ['Service']
const CATALOG = '/.well-known/api-catalog'

interface ServiceDeps {
  readonly origin: () => string
  /** Workflows over the operations (Arazzo 1.0). */
  readonly workflows: object
}

/** The public description of the service. */
export const serviceRoutes = registerRoutes<ServiceDeps>(
  endpoint({
    route: 'GET /problems/:code',
    config,
    tags,
    operationId: 'service.problem',
    summary: 'Explain an error code',
    security: [],
    params: Type.Object({ code: Type.String() }),
    response: {
      200: Type.Object({
        code: Type.String(),
        status: Type.Integer(),
        title: Type.String(),
        explanation: Type.String(),
      }),
    },
    handler: async (request) => {
      const { code } = request.params
      if (!isErrorCode(code)) throw new AppError('not_found', 'There is no problem with this code.')
      const { status, title, explanation } = ERRORS[code]
      return { code, status, title, explanation }
    },
  }),
  (app, options) =>
    app.get(CATALOG, { config, schema: { hide: true } }, async (_, reply) => {
      const origin = options.origin()
      return reply
        .type('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
        .header('Link', linkHeader([{ url: `${origin}${CATALOG}`, rel: 'api-catalog' }]))
        .serializer(JSON.stringify)
        .send(buildCatalog(origin))
    }),
  (app, options) =>
    app.get('/openapi.json', { config, schema: { hide: true } }, async (_, reply) =>
      reply.type('application/json; charset=utf-8').send({ ...app.swagger(), servers: [{ url: options.origin() }] }),
    ),
  (app, { origin, workflows }) =>
    app.get('/arazzo.json', { config, schema: { hide: true } }, async (_, reply) => {
      const sourceDescriptions = [{ name: 'recto', url: `${origin()}/openapi.json`, type: 'openapi' }]
      return reply
        .type('application/vnd.oai.workflows+json; charset=utf-8')
        .serializer(JSON.stringify)
        .send({ ...workflows, sourceDescriptions })
    }),
)

/** The API catalog of RFC 9727, with the link set of RFC 9264. */
function buildCatalog(origin: string): object {
  return {
    linkset: [
      {
        anchor: `${origin}/`,
        'service-desc': [
          { href: `${origin}/openapi.json`, type: 'application/json' },
          { href: `${origin}/arazzo.json`, type: 'application/vnd.oai.workflows+json' },
        ],
        'service-doc': [{ href: `${origin}/docs`, type: 'text/html' }],
        status: [{ href: `${origin}/healthz` }],
      },
    ],
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}
