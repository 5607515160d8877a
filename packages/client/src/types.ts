import type { components, paths } from './openapi.ts'

type Operation<P extends keyof paths, M extends string> =
  paths[P] extends Readonly<Record<M, infer Found>> ? Found : never
type Json<T> = T extends { readonly content: { readonly 'application/json': infer Shape } } ? Shape : never

/** The JSON response of an operation of the OpenAPI document. */
export type AnswerTo<P extends keyof paths, M extends string = 'get', S extends number = 200> =
  Operation<P, M> extends { readonly responses: Readonly<Record<S, infer Found>> } ? Json<Found> : never
/** An item of the list at a path. */
export type ItemOf<P extends keyof paths> =
  AnswerTo<P> extends { readonly items: readonly (infer Item)[] } ? Item : never
/** The JSON body of an operation. */
export type BodyOf<P extends keyof paths, M extends string = 'post'> =
  Operation<P, M> extends { readonly requestBody?: infer Found } ? Json<NonNullable<Found>> : never
/** The query parameters of an operation, except for paging. */
export type QueryOf<P extends keyof paths, M extends string = 'get'> =
  Operation<P, M> extends { readonly parameters: { readonly query?: infer Found } }
    ? Omit<NonNullable<Found>, 'limit' | 'cursor'>
    : never

export type Problem = components['schemas']['Problem']
/** The known codes; a newer service can have more. */
export type ProblemCode = Problem['code']

/** A person or an agent. */
export type Actor = Page['updatedBy']
export type Me = AnswerTo<'/me'>

/** A written page; `created` if it is new, and the change request in which it is only proposed. */
export type WrittenPage = Page & Pick<PageAfterWrite, 'changeRequest'> & { readonly created: boolean }
/** The Markdown of a page, with its version. */
export interface Markdown {
  readonly body: string
  readonly version: number
  readonly etag: string
}
export type PageWithBody = Extract<AnswerTo<'/pages/{space}/{path}'>, { readonly body: unknown }>
/** Which version changed each line last. */
export type Blame = Extract<AnswerTo<'/pages/{space}/{path}'>, { readonly oldest: unknown }>
export type BatchItem = AnswerTo<'/pages/batch-get', 'post'>['items'][number]
export type PageWrite = BodyOf<'/pages/batch'>['operations'][number]
export type WrittenItem = AnswerTo<'/pages/batch', 'post'>['items'][number]
export type MetadataBatch = BodyOf<'/metadata/batch'>
export type MetadataBatchResult = AnswerTo<'/metadata/batch', 'post'>
export type BatchedPage = BodyOf<'/pages/batch-get'>['pages'][number]
export type Page = ItemOf<'/spaces/{space}/pages'>
export type EditedPage = AnswerTo<'/pages/{space}/{path}', 'patch'>
export type Edit = BodyOf<'/pages/{space}/{path}', 'patch'>['edits'][number]
export type Revision = ItemOf<'/pages/{space}/{path}/versions'>
export type Move = BodyOf<'/pages/{space}/{path}/move'>
export type FolderMove = BodyOf<'/spaces/{space}/move-folder'>
export type FolderDeletion = AnswerTo<'/spaces/{space}/delete-folder', 'post'>
export type MoveReport = AnswerTo<'/pages/{space}/{path}/move', 'post'>
export type DeletedPage = ItemOf<'/spaces/{space}/trash'>

export type StoredFile = ItemOf<'/spaces/{space}/files'>
/** A page or file after a write, with the redirect that it has ended. */
export type PageAfterWrite = components['schemas']['PageAfterWrite']
export type FileAfterWrite = components['schemas']['FileAfterWrite']
export type FileVersion = ItemOf<'/files/{space}/{path}/versions'>
export type FileMoveReport = AnswerTo<'/files/{space}/{path}/move', 'post'>
export type FileMigration = BodyOf<'/admin/files/migrate'>
export type FileMigrationReport = AnswerTo<'/admin/files/migrate', 'post'>
export type FileMove = BodyOf<'/files/{space}/{path}/move'>
export type DeletedFile = ItemOf<'/spaces/{space}/files/trash'>
/** The names that come first in a folder of the page tree. */
export type FolderOrder = AnswerTo<'/spaces/{space}/order'>

export type PageMetadata = AnswerTo<'/pages/{space}/{path}/metadata'>
export type MetadataPatch = BodyOf<'/pages/{space}/{path}/metadata', 'patch'>
export type MetadataEvent = ItemOf<'/pages/{space}/{path}/metadata/history'>
export type MetadataKey = ItemOf<'/search/metadata/keys'>
/** A value of a metadata key with the number of pages that have it. */
export type MetadataValue = ItemOf<'/search/metadata/values'>
export type FoundPage = ItemOf<'/search/metadata'>
/** Pages with warnings about keys that no visible page has (`warnings`). */
export type FoundPages = AnswerTo<'/search/metadata'>
export type SearchHit = ItemOf<'/search'>
export type TitleHit = ItemOf<'/titles'>
/** Hits with how the query was read (`relaxed`, `corrected`). */
export type SearchPage = AnswerTo<'/search'>
export type SearchSuggestions = AnswerTo<'/search/suggest'>

/** A condition on one metadata key; `exists` and `missing` take no value. */
export type Filter = components['schemas']['MetadataFilter']

export type PageLinks = Extract<AnswerTo<'/pages/{space}/{path}/links'>, { readonly outbound: unknown }>
export type OutboundLink = PageLinks['outbound'][number]
export type Backlink = PageLinks['backlinks'][number]
export type Neighbourhood = Extract<AnswerTo<'/pages/{space}/{path}/links'>, { readonly nodes: unknown }>
export type BrokenLink = ItemOf<'/spaces/{space}/links/broken'>
export type Orphan = ItemOf<'/spaces/{space}/links/orphans'>
export type WantedPage = ItemOf<'/spaces/{space}/links/wanted'>
export type Rebuild = AnswerTo<'/links/rebuild/{id}'>

export type Space = AnswerTo<'/spaces/{space}'>
export type NewSpace = BodyOf<'/spaces'>
export type SpaceChange = BodyOf<'/spaces/{space}', 'patch'>
export type Member = ItemOf<'/spaces/{space}/members'>
export type Candidate = ItemOf<'/spaces/{space}/candidates'>
export type SpaceRole = Member['role']

export type Principal = AnswerTo<'/admin/principals/{id}'>
export type NewPrincipal = BodyOf<'/admin/principals'>
export type PrincipalChange = BodyOf<'/admin/principals/{id}', 'patch'>
export type ApiKey = ItemOf<'/me/api-keys'>
export type NewKey = BodyOf<'/me/api-keys'>
export type NewKeyFor = BodyOf<'/admin/api-keys'>
export type CreatedKey = AnswerTo<'/me/api-keys', 'post', 201>
export type Favourite = ItemOf<'/me/favourites'>
export type Session = ItemOf<'/me/sessions'>
export type AppConnection = ItemOf<'/me/connections'>
export type Passkey = ItemOf<'/me/passkeys'>
export type PasswordLink = AnswerTo<'/admin/principals/{id}/password-link', 'post', 201>
export type Invitation = ItemOf<'/admin/invitations'>
export type NewInvitation = BodyOf<'/admin/invitations'>
export type SentInvitation = AnswerTo<'/admin/invitations', 'post', 201>
export type Group = AnswerTo<'/admin/groups/{id}'>
export type NewGroup = BodyOf<'/admin/groups'>
export type GroupChange = BodyOf<'/admin/groups/{id}', 'patch'>
export type GroupMember = ItemOf<'/admin/groups/{id}/members'>
export type GroupSpace = ItemOf<'/admin/groups/{id}/spaces'>
export type SpaceGroup = ItemOf<'/spaces/{space}/groups'>
export type ScimState = AnswerTo<'/admin/scim'>
export type CreatedScimToken = AnswerTo<'/admin/scim/token', 'post', 201>
export type AuditEntry = ItemOf<'/admin/audit'>
export type AnyJob = ItemOf<'/admin/jobs'>

export type Webhook = AnswerTo<'/admin/webhooks/{id}'>
export type NewWebhook = BodyOf<'/admin/webhooks'>
export type WebhookChange = BodyOf<'/admin/webhooks/{id}', 'patch'>
export type WebhookWithSecret = AnswerTo<'/admin/webhooks', 'post', 201>
export type Delivery = AnswerTo<'/admin/webhooks/{id}/deliveries/{deliveryId}'>
export type TestResult = AnswerTo<'/admin/webhooks/{id}/test', 'post'>

export type PageTemplate = ItemOf<'/templates'>
export type SpaceTemplateItem = ItemOf<'/space-templates'>
export type SpaceTemplate = AnswerTo<'/space-templates/{source}/{id}'>
export type TemplateSource = SpaceTemplateItem['source']
export type CreatedSpace = AnswerTo<'/space-templates/{source}/{id}/spaces', 'post', 201>
export type Snapshot = BodyOf<'/space-templates/org'>

export type Change = ItemOf<'/changes'>
export type Changes = AnswerTo<'/changes'>
export type Bundle = AnswerTo<'/spaces/{space}/export'>
export type ImportReport = AnswerTo<'/spaces/{space}/import', 'post'>
