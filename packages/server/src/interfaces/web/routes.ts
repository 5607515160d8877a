import type { ImportDeps } from '../../content/templates/transfer/import-limit.ts'
import type { Jobs } from '../../events/jobs/runner.ts'
import type { AuthorizationServer } from '../../identity/oauth/start.ts'
import type { Mailer } from '../../identity/people/mail.ts'
import type { PasskeySignIn } from '../../identity/people/passkeys/sign-in.ts'
import type { Passwords } from '../../identity/people/passwords.ts'
import type { Authenticator } from '../../identity/principals/authenticate.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Server } from '../../platform/http/server.ts'
import { rejectMisspeltParameters } from '../../platform/http/validation.ts'
import { accountScreenRoutes } from './account/account-routes.ts'
import { adminScreenRoutes } from './admin/admin-routes.ts'
import { auditRoutes } from './admin/audit-routes.ts'
import { groupScreenRoutes } from './admin/groups-routes.ts'
import { jobsRoutes } from './admin/jobs-routes.ts'
import { keysRoutes } from './admin/keys-routes.ts'
import { type LinksOptions, linksRoutes } from './admin/links-routes.ts'
import { peopleScreenRoutes } from './admin/people-routes.ts'
import { scimScreenRoutes } from './admin/scim-routes.ts'
import { webhookScreenRoutes } from './admin/webhook-routes.ts'
import { assetRoutes } from './assets/asset-routes.ts'
import { diagramRoutes } from './assets/diagram-routes.ts'
import { offlineRoutes } from './assets/offline-routes.ts'
import { changeRequestScreenRoutes } from './change-requests/routes.ts'
import { commentFragmentRoutes, commentScreenRoutes } from './comments/routes.ts'
import { confirmRoutes } from './confirm/confirm-routes.ts'
import { connectRoutes } from './connect/connect-routes.ts'
import { createRoutes } from './create/routes.ts'
import { editRoutes } from './edit/routes.ts'
import { exportScreenRoutes } from './export/export-routes.ts'
import { favouriteScreenRoutes } from './favourites/routes.ts'
import { fileScreenRoutes } from './files/routes.ts'
import { acceptForms } from './forms.ts'
import { galleryRoutes } from './gallery/gallery-routes.ts'
import { historyRoutes } from './history/routes.ts'
import { iconRoutes } from './icon/routes.ts'
import { importRoutes } from './import/import-routes.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { jobScreenRoutes } from './jobs/job-routes.ts'
import { folderScreenRoutes } from './lifecycle/folder-routes.ts'
import { moveAndDeleteRoutes } from './lifecycle/routes.ts'
import { graphRoutes } from './links/graph-routes.ts'
import { reportRoutes } from './links/report-routes.ts'
import { metadataScreenRoutes } from './metadata/routes.ts'
import { consentRoutes } from './oauth/consent-routes.ts'
import { invitationScreenRoutes } from './people/invitations-routes.ts'
import { personRoutes } from './people/person-routes.ts'
import { crawlerRoutes } from './reading/crawler-routes.ts'
import { fragmentRoutes } from './reading/fragment-routes.ts'
import { taskRoutes } from './reading/task-routes.ts'
import { referenceRoutes } from './reference/reference-routes.ts'
import { shareScreenRoutes } from './shares/share-routes.ts'
import { browseRoutes } from './spaces/browse-routes.ts'
import { homeRoutes } from './spaces/home-routes.ts'
import { newSpaceRoutes } from './spaces/new-space-routes.ts'
import { readersRoutes } from './spaces/readers-routes.ts'
import { requestScreenRoutes } from './spaces/requests-routes.ts'
import { reviewScreenRoutes } from './spaces/review-routes.ts'
import { ruleScreenRoutes } from './spaces/rules-routes.ts'
import { settingsRoutes } from './spaces/settings-routes.ts'
import { trashRoutes } from './spaces/trash-routes.ts'
import { verificationScreenRoutes } from './verification/routes.ts'
import { viewRoutes } from './views/routes.ts'

export interface WebOptions extends LinksOptions {
  readonly imports: ImportDeps
  readonly jobs: Jobs
  readonly webhooks: Parameters<typeof webhookScreenRoutes>[1]
  readonly maxBodyBytes: number
  readonly publicIndexing: boolean
  /** The primary: reads of screens are from replicas. */
  readonly db: Db
  readonly authenticator: Authenticator
  readonly passwords: Passwords
  readonly passkeys: PasskeySignIn
  readonly mailer: Mailer | undefined
  readonly oauth: AuthorizationServer
  readonly origin: () => string
}

/** All screens except pages themselves. */
export async function webRoutes(app: Server, options: WebOptions): Promise<void> {
  acceptForms(app)
  app.addHook('preValidation', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') rejectMisspeltParameters(request)
  })
  await app.register(assetRoutes)
  await app.register(diagramRoutes)
  await app.register(fragmentRoutes)
  await app.register(commentFragmentRoutes)
  await app.register(taskRoutes)
  await app.register(iconRoutes)
  await app.register(editRoutes, options)
  await app.register(createRoutes, options)
  await app.register(jobScreenRoutes)
  await app.register(moveAndDeleteRoutes, { jobs: options.jobs })
  await app.register(fileScreenRoutes)
  await app.register(folderScreenRoutes, { jobs: options.jobs })
  await app.register(exportScreenRoutes, { jobs: options.jobs })
  await app.register(importRoutes, { ...options.imports, jobs: options.jobs })
  await app.register(historyRoutes)
  await app.register(viewRoutes)
  await app.register(graphRoutes)
  await app.register(reportRoutes)
  await app.register(metadataScreenRoutes)
  await app.register(offlineRoutes)
  await app.register(homeRoutes, { db: options.db })
  await app.register(browseRoutes)
  await app.register(crawlerRoutes, options)
  await app.register(favouriteScreenRoutes)
  await app.register(inboxRoutes)
  await app.register(newSpaceRoutes)
  await app.register(readersRoutes)
  await app.register(requestScreenRoutes)
  await app.register(changeRequestScreenRoutes)
  await app.register(commentScreenRoutes)
  await app.register(reviewScreenRoutes)
  await app.register(ruleScreenRoutes)
  await app.register(shareScreenRoutes)
  await app.register(verificationScreenRoutes)
  await app.register(settingsRoutes)
  await app.register(trashRoutes)
  await app.register(galleryRoutes)
  await app.register(accountScreenRoutes, options)
  await app.register(confirmRoutes, options)
  await app.register(connectRoutes)
  await app.register(personRoutes)
  await app.register(consentRoutes, { server: options.oauth })
  await app.register(adminScreenRoutes)
  await app.register(auditRoutes)
  await app.register(linksRoutes, options)
  await app.register(peopleScreenRoutes, options)
  await app.register(groupScreenRoutes)
  await app.register(scimScreenRoutes)
  await app.register(invitationScreenRoutes, options)
  await app.register(jobsRoutes)
  await app.register(keysRoutes)
  await app.register(webhookScreenRoutes, options.webhooks)
  await app.register(referenceRoutes, { swagger: () => app.swagger(), origin: options.origin })
}
