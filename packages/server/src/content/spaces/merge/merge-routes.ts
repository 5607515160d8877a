import type { Mailer } from '../../../identity/people/mail.ts'
import { mergeSchema } from '../../../identity/people/schema.ts'
import { principalSchema } from '../../../identity/principals/admin-schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { mergeAccounts } from './merge.ts'

const administration = declareEndpoints('Administration')

/** Merging accounts: what they have in spaces, and their personal spaces. */
export const mergeRoutes = registerRoutes<{ readonly mailer: Mailer | undefined }>(
  administration.endpoint({
    route: 'POST /admin/principals/:id/merge',
    config: { errors: ['confirmation_required', 'accounts_not_mergeable', 'last_admin'] },
    operationId: 'principals.merge',
    summary: 'Merge an account into another one of the same person',
    description:
      'Roles in spaces, groups, identities at providers, favourites, watches, ' +
      'the inbox and the personal space move. ' +
      'Keys, apps, sessions, the password and the passkeys of the merged account end; ' +
      'it stays, disabled, as the author of what it wrote. Returns the account that remains. It cannot be undone.',
    body: mergeSchema,
    response: { 200: principalSchema },
    handler: (request, _reply, { mailer }) =>
      mergeAccounts(request.ctx, mailer, { id: request.params.id, ...request.body }),
  }),
)
