import swagger from '@fastify/swagger'
import type { Server } from './server.ts'

/** Describes every route from the very schemas that validate it; call it before the routes are added. */
export async function describeRoutes(app: Server, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Recto',
        version,
        description:
          'A page workspace for people and agents. Errors are problem documents (RFC 9457) whose `code` is the contract.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `svc_…`.' } },
      },
      security: [{ apiKey: [] }],
    },
  })
}
