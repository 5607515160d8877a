import { filterSchema } from '@recto/contract/filter-ops.ts'
import { actorSchema, meSchema } from '../access/schema.ts'
import { trustSchema, verificationSchema } from '../access/verification.ts'
import { fileAfterWriteSchema, fileSchema, fileVersionSchema } from '../content/files/schema.ts'
import * as lifecycle from '../content/lifecycle/schema.ts'
import * as links from '../content/links/schema.ts'
import * as metadata from '../content/metadata/schema.ts'
import { blameSchema } from '../content/pages/blame/schema.ts'
import * as pages from '../content/pages/schema.ts'
import { pageTemplateSchema } from '../content/pages/templates/schema.ts'
import { verificationReportSchema, verifiedPageSchema } from '../content/pages/verification/schema.ts'
import { hitSchema, searchResultSchema } from '../content/search/schema.ts'
import * as spaces from '../content/spaces/schema.ts'
import { bundlePageSchema, bundleSchema, importedBundleSchema } from '../content/templates/bundle/bundle.ts'
import * as templates from '../content/templates/schema.ts'
import { changeSchema, changesSchema } from '../events/feed/schema.ts'
import * as webhooks from '../events/webhooks/schema.ts'
import * as groups from '../identity/groups/schema.ts'
import { connectionSchema } from '../identity/oauth/schema.ts'
import * as people from '../identity/people/schema.ts'
import * as principals from '../identity/principals/admin-schema.ts'
import { provisioningSchema } from '../identity/scim/schema.ts'

/** The schemas that have a name in the OpenAPI document, `#/components/schemas/<name>`. */
export const NAMED_SCHEMAS: Readonly<Record<string, object>> = {
  Actor: actorSchema,
  Me: meSchema,
  Principal: principals.principalSchema,
  NewPrincipal: principals.createPrincipalSchema,
  PrincipalChange: principals.updatePrincipalSchema,
  ApiKey: principals.apiKeySchema,
  NewKey: principals.createOwnKeySchema,
  NewKeyFor: principals.createKeySchema,
  CreatedKey: principals.createdKeySchema,
  AuditEntry: principals.auditEntrySchema,
  ScimState: provisioningSchema,
  Group: groups.groupSchema,
  NewGroup: groups.createGroupSchema,
  GroupChange: groups.updateGroupSchema,
  GroupMember: groups.groupMemberSchema,
  GroupSpace: groups.groupSpaceSchema,
  Change: changeSchema,
  Changes: changesSchema,
  Bundle: bundleSchema,
  ImportedBundle: importedBundleSchema,
  BundlePage: bundlePageSchema,
  File: fileSchema,
  FileAfterWrite: fileAfterWriteSchema,
  FileVersion: fileVersionSchema,
  DeletedFile: lifecycle.trashedFileSchema,
  PageLinks: links.pageLinksSchema,
  Neighbourhood: links.neighbourhoodSchema,
  BrokenLink: links.brokenLinkSchema,
  Orphan: links.orphanSchema,
  WantedPage: links.wantedSchema,
  Rebuild: links.rebuildSchema,
  MetadataFilter: filterSchema,
  MetadataChange: metadata.auditEventSchema,
  PageMetadata: metadata.metadataSchema,
  MetadataPatch: metadata.patchSchema,
  MetadataKey: metadata.keyUseSchema,
  FoundPage: metadata.foundPageSchema,
  AppConnection: connectionSchema,
  Page: pages.pageSchema,
  PageAfterWrite: pages.pageAfterWriteSchema,
  PageWithBody: pages.pageWithBodySchema,
  BatchGet: pages.batchGetSchema,
  BatchItem: pages.batchItemSchema,
  BatchWrite: pages.batchWriteSchema,
  WrittenItem: pages.writtenItemSchema,
  NewRevision: pages.putPageSchema,
  PageEdits: pages.editPageSchema,
  EditedPage: pages.editedPageSchema,
  DeletedPage: lifecycle.trashedPageSchema,
  PageMove: lifecycle.movePageSchema,
  FileMove: lifecycle.moveFileSchema,
  FolderMove: lifecycle.moveFolderSchema,
  FolderToDelete: lifecycle.deleteFolderSchema,
  FolderDeletion: lifecycle.folderDeletionSchema,
  MoveReport: lifecycle.moveOutcomeSchema,
  FileMoveReport: lifecycle.movedFileSchema,
  Revision: pages.revisionSchema,
  FolderOrder: pages.orderSchema,
  TitledPage: pages.titledSchema,
  Blame: blameSchema,
  Verification: verificationSchema,
  Trust: trustSchema,
  VerifiedPage: verifiedPageSchema,
  VerificationReport: verificationReportSchema,
  Favourite: pages.favouriteSchema,
  SearchSuggestions: pages.suggestionsSchema,
  PageTemplate: pageTemplateSchema,
  NewInvitation: people.createInvitationSchema,
  NewSpaceInvitation: people.inviteToSpaceSchema,
  Invitation: people.invitationSchema,
  SentInvitation: people.sentSchema,
  Session: people.sessionSchema,
  PasswordLink: people.linkSchema,
  Passkey: people.passkeySchema,
  SearchHit: hitSchema,
  SearchResult: searchResultSchema,
  Space: spaces.spaceSchema,
  ChangedSpace: spaces.changedSpaceSchema,
  NewSpace: spaces.createSpaceSchema,
  SpaceChange: spaces.updateSpaceSchema,
  Member: spaces.memberSchema,
  MemberRole: spaces.setMemberSchema,
  SpaceGroup: spaces.spaceGroupSchema,
  SpaceTemplate: templates.spaceTemplateSchema,
  SpaceTemplateItem: templates.templateItemSchema,
  CreatedSpace: templates.createdSpaceSchema,
  Snapshot: templates.snapshotSchema,
  ImportReport: templates.importReportSchema,
  Webhook: webhooks.webhookSchema,
  NewWebhook: webhooks.createWebhookSchema,
  WebhookChange: webhooks.updateWebhookSchema,
  WebhookWithSecret: webhooks.webhookWithSecretSchema,
  SecretRotation: webhooks.rotateSchema,
  Delivery: webhooks.deliverySchema,
  TestResult: webhooks.testResultSchema,
}
