import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { createScimToken, endProvisioning, readProvisioning } from '../../../identity/scim/provisioning.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { t } from '../html.ts'
import { secretBox } from '../keys-view.ts'
import { formRoute, screenRoute, whenDone } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { scimScreen } from './scim-view.ts'

const query = strictObject({ done: Type.Optional(Type.String()) })

/** SCIM: its state, its token, and switching it on and off. */
export const scimScreenRoutes = registerRoutes(
  screenRoute('/manage/scim', { query, view: state }),
  formRoute('/manage/scim/token', {
    act: async (request) => {
      const { provisioning, secret } = await createScimToken(request.ctx)
      return scimScreen({
        provisioning,
        secret: secretBox({
          label: t('The new token'),
          value: secret,
          about: t('Copy it into your identity provider now. You won’t be able to see it again.'),
        }),
      })
    },
  }),
  formRoute('/manage/scim/end', { act: ({ ctx }) => whenDone(endProvisioning(ctx), adminUrl('scim'), 'off') }),
)

async function state(request: FastifyRequest<{ Querystring: Static<typeof query> }>) {
  return scimScreen({
    provisioning: await readProvisioning(request.ctx),
    done: request.query.done === 'off' ? t('SCIM is off. People and groups stay as they are.') : undefined,
  })
}
