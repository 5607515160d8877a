/**
 * The URLs of all screens, each in one place. Those of pages themselves are `pageUrl` of contract/src/page-address.ts.
 */

export const HOME = '/'
export const GALLERY = '/gallery'
export const ACCOUNT = '/account'
export const ADMIN = '/manage'
export const SIGN_IN = '/sign-in'
/** The sign-in, and then the screen `next`. */
export const signInUrl = (next: string) => `${SIGN_IN}?next=${encodeURIComponent(next)}`
export const PASSWORD_SIGN_IN = '/sign-in/password'
export const PASSKEY_SIGN_IN = '/sign-in/passkey'
/** Begins the sign-in with the provider (OpenID Connect); `again` confirms that it is the same person. */
export const providerSignInUrl = (next: string, again?: '1') => withQuery('/sign-in/oidc', { again, next })
export const CONFIRM = '/confirm'
export const CONFIRMED = '/confirm/done'
/** The confirmation that it is the person, and then the screen `next`. */
export const confirmUrl = (next: string) => `${CONFIRM}?next=${encodeURIComponent(next)}`
/** The screen that browsers show while the service is unreachable. */
export const OFFLINE = '/offline'
export const FORGOT_PASSWORD = '/forgot-password'
export const SIGN_OUT = '/sign-out'
export const FIND = '/find'
/** The sitemaps of the public spaces, or the pages of one. */
export const SITEMAP = '/sitemap.xml'
export const sitemapUrl = (space: string) => withQuery(SITEMAP, { space })
export const findUrl = (q: string) => `${FIND}?q=${encodeURIComponent(q)}`
export const VIEWS = '/views'
/** The choice of the space of a new page. */
export const NEW_PAGE = '/new'
export const FAVOURITES = '/favourites'
/** What the reader was told of. */
export const INBOX = '/inbox'
/** The form that says how the reader gets mail of it. */
export const INBOX_MAIL = `${INBOX}/mail`
/** Marks a notification as read, and leads to what it is about. */
export const notificationUrl = (id: string) => joined(INBOX, id)
/** The change requests of all spaces. */
export const TO_REVIEW = '/to-review'
/** Those of one space. */
export const toReviewUrl = (space: string) => withQuery(TO_REVIEW, { space })
/** A change request: with `path`, the change of that page alone. */
export const changeRequestUrl = (
  { space, number }: { readonly space: string; readonly number: number },
  query: Query<'path' | 'as' | 'done'> = {},
) => withQuery(`${TO_REVIEW}/${space}/${number}`, query)
export const NEW_SPACE = '/new-space'
export const SPACES = '/all-spaces'
export const API_REFERENCE = '/docs'
/** The screen of an operation of the API, by its `operationId`. */
export const operationUrl = (operationId: string) => `${API_REFERENCE}/${operationId}`

const JOBS = '/jobs/'

type AdminScreen =
  | 'people'
  | 'groups'
  | 'scim'
  | 'invitations'
  | 'keys'
  | 'webhooks'
  | 'audit'
  | 'jobs'
  | 'links'
  | 'spaces'

type Query<Name extends string> = { readonly [Each in Name]?: string | number | undefined }

/**
 * The URLs of a screen of pages, `/<screen>/:space/*`: the slashes of the path stay, for no screen has sub-resources.
 */
const pageScreen =
  <Name extends string = never>(screen: string) =>
  (space: string, path: string, query: Query<Name> = {}) =>
    withQuery(`/${screen}/${space}/${encodePath(path)}`, query)

/** Opens a space: on its page `index` or `home`, or on the list of its pages. */
export const spaceUrl = (slug: string) => `/open/${slug}`
/** The pages of a space; with `prefix`, those in a folder. */
export const browseUrl = (slug: string, prefix?: string) => withQuery(`/browse/${slug}`, { prefix })
/** The progress of long work, and its result. */
export const jobUrl = (id: string) => `${JOBS}${id}`
export const isJobUrl = (path: string) => path.startsWith(JOBS)

/** The form for a new page, with a known `path` or folder (`parent`), or with a template (`space/name`). */
export const newPageUrl = (slug: string, query: Query<'path' | 'parent' | 'template'> = {}) =>
  withQuery(`/new/${slug}`, query)

export const editUrl = pageScreen('edit')
/** The title of a new change request. Everybody sees it: it names no page. */
export const SUGGESTION = 'A suggestion'
/** The editor for a draft of a change request, or of a new one. */
export const proposeUrl = (space: string, path: string, number?: number) =>
  withQuery(
    editUrl(space, path),
    number === undefined ? { changeRequest: 'new', title: SUGGESTION } : { changeRequest: number },
  )
/** Renders a text as on the page. */
export const previewUrl = pageScreen('preview')
/** The form for the icon of a page. */
export const iconUrl = pageScreen('icon')
/** Ticks a task of a page. */
export const tickUrl = pageScreen('tick')
export const moveUrl = pageScreen<'to'>('move')
export const deleteUrl = pageScreen('delete')
/** Who can read a page or folder. */
export const readersUrl = pageScreen('readers')
/** Who verified a page. */
export const verifyUrl = pageScreen('verify')
/** The share links of a page. */
export const shareUrl = pageScreen('share')
/** What a link of a page shows its readers, or with `at` a page below it. */
export const sharePreviewUrl = pageScreen<'children' | 'at'>('share-preview')
export const moveFolderUrl = pageScreen('move-folder')
export const deleteFolderUrl = pageScreen('delete-folder')

/** The HTML fragment with the pages before and after a page. */
export const neighboursFragmentUrl = pageScreen('fragments/neighbours')
/** The HTML fragment with the star of a page. */
export const starFragmentUrl = pageScreen('fragments/star')
/** The HTML fragment with the metadata and the backlinks of a page. */
export const panelFragmentUrl = pageScreen('fragments/panel')
/** The HTML fragment of the navigation in the sidebar. */
export const SIDEBAR_FRAGMENT = '/fragments/sidebar'
/** The HTML fragments of the page tree of a space. */
export const treeFragmentUrl = (space: string) => `/fragments/tree/${space}`

/** The form that makes a page or space a favourite. */
export function favouriteUrl(space: string, path?: string): string {
  return path === undefined ? `/favourite/${space}` : pageScreen('favourite')(space, path)
}

/** The form that watches a page, file, folder or space. */
export function watchUrl(space: string, path?: string, query: Query<'kind'> = {}): string {
  return path === undefined ? `/watch/${space}` : pageScreen<'kind'>('watch')(space, path, query)
}

/** The revisions of a page, the difference of two, or the confirmation before one is restored (`promote`). */
/** The threads of comments about a page. */
export const commentsUrl = pageScreen('comments')
export const commentsFragmentUrl = pageScreen('fragments/comments')
/** A thread of comments, wherever what it is about is now. */
export const threadUrl = (id: string) => `/thread/${id}`
export const historyUrl = pageScreen<'from' | 'to' | 'promote' | 'blame' | 'as' | 'cursor'>('history')
export const metadataUrl = pageScreen<'key' | 'remove' | 'cursor'>('metadata')
/** The links and backlinks of a page as a graph. */
export const graphUrl = pageScreen<'depth' | 'cursor'>('graph')

/** A table over the metadata of a space, or of all spaces. */
export const viewsUrl = (slug?: string) => joined(VIEWS, slug)

/** The reports of a space: broken links, orphans, wanted pages, and what is verified. */
export const reportsUrl = (slug: string, query: Query<'show' | 'status' | 'done' | 'cursor'> = {}) =>
  withQuery(`/reports/${slug}`, query)

/** The deleted pages of a space. */
export const trashUrl = (slug: string, action?: 'restore' | 'purge') => joined('/trash', slug, action)
/** The deleted files of a space. */
export const fileTrashUrl = (slug: string, action?: 'restore' | 'purge') => joined('/trash', slug, 'files', action)

/** The files of a space. */
export const filesUrl = (slug: string) => `/browse-files/${slug}`
/** A file with its versions, and the forms that change it. */
export const fileScreenUrl = pageScreen('file')
export const renameFileUrl = pageScreen('rename-file')
export const replaceFileUrl = pageScreen('replace-file')
export const deleteFileUrl = pageScreen('delete-file')

/** The form that uploads files; those for a `page` get paths next to it, and `path` is that of a missing file. */
export function uploadUrl(
  slug: string,
  query: {
    readonly page?: string | undefined
    readonly path?: string | undefined
    readonly stored?: readonly string[]
  } = {},
): string {
  const { stored = [], ...rest } = query
  const parameters = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return withQuery(`/upload/${slug}`, new URLSearchParams([...parameters, ...stored.map((name) => ['stored', name])]))
}

type SettingsSection =
  | 'slug'
  | 'requests'
  | 'groups'
  | 'invitations'
  | 'members'
  | 'template'
  | 'review'
  | 'shares'
  | 'delete'

/** The settings of a space, and the forms that change them. */
export const settingsUrl = (slug: string, section?: SettingsSection, item?: string, action?: string) =>
  joined('/settings', slug, section, item, action)

/** The form that invites a guest to a folder. */
export const inviteGuestUrl = (slug: string, folder: string) => withQuery(settingsUrl(slug, 'invitations'), { folder })

/** The form that asks for access. */
export const ASK = '/ask-for-access'

/** The folder rules of a space. */
export const rulesUrl = (slug: string) => `/settings/${slug}/rules`
/** The form for the rule of a folder, or for the first one of a folder that is still to be named. */
export const ruleUrl = (slug: string, folder?: string) => withQuery(`/settings/${slug}/rules/edit`, { folder })
/** The confirmation before the rule of a folder is removed. */
export const removeRuleUrl = (slug: string, folder?: string) => withQuery(`/settings/${slug}/rules/remove`, { folder })

/** The screen that exports a space. */
export const exportUrl = (slug: string) => `/export/${slug}`
/** The export of a space as a file, with a job. */
export const exportDownloadUrl = (slug: string) => `/export/${slug}/download`
/** The screen that imports an archive into a space. */
export const importUrl = (slug: string) => `/import/${slug}`

/** A space template of the gallery. */
export const templateUrl = ({ source, id }: { readonly source: string; readonly id: string }) =>
  joined(GALLERY, source, id)

/** A screen of the administration, one of its things by id, and an action on that. */
export const adminUrl = (screen: AdminScreen, ...rest: string[]) => joined(ADMIN, screen, ...rest)

/** The form that creates a key of the own account, or the one that revokes the key with this id. */
export const accountKeysUrl = (revokedId?: string) =>
  joined(ACCOUNT, 'keys', revokedId, revokedId === undefined ? undefined : 'revoke')
/** The form that changes the own name. */
export const ACCOUNT_PROFILE = `${ACCOUNT}/profile`
/** The form that sets the own picture, and the one that removes it. */
export const ACCOUNT_PICTURE = `${ACCOUNT}/picture`
export const REMOVE_PICTURE = `${ACCOUNT_PICTURE}/remove`
/** The picture of a person; a transparent image if there is none. */
export const pictureUrl = (id: string) => joined('/pictures', id)
/** The card of a person. */
export const personUrl = (id: string) => joined('/people', id)
/** The form that changes the password of the own account. */
export const ACCOUNT_PASSWORD = `${ACCOUNT}/password`
/** The endpoint that creates a passkey. */
export const ACCOUNT_PASSKEYS = `${ACCOUNT}/passkeys`
/** The form that names one of the own passkeys, or the one that removes it. */
export const passkeyUrl = (id: string, action?: 'remove') => joined(ACCOUNT, 'passkeys', id, action)
export const ACCOUNT_APPEARANCE = `${ACCOUNT}/appearance`
/** The form that dismisses one of the first steps, or `all`. */
export const dismissStepUrl = (step: string) => joined('/steps', step, 'dismiss')
/** The form that ends one of the own sessions. */
export const endSessionUrl = (id: string) => joined(ACCOUNT, 'sessions', id, 'end')
/** The form that ends all of the own sessions except for the current one. */
export const END_OTHER_SESSIONS = `${ACCOUNT}/sessions/end-others`
/** Settings for assistants, to copy. */
export const CONNECT = '/connect'
/** The form that creates a key for an assistant. */
export const CONNECT_KEYS = `${CONNECT}/keys`
/** The form that disconnects an app. */
export const endConnectionUrl = (id: string) => joined(ACCOUNT, 'connections', id, 'end')

/** The path of a page as the rest of a URL: a router that decodes it returns the path. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The URL with those parameters that have a value. */
export function withQuery(
  url: string,
  query: URLSearchParams | Readonly<Record<string, string | number | null | undefined>>,
): string {
  const parameters =
    query instanceof URLSearchParams
      ? query
      : new URLSearchParams(
          Object.entries(query).flatMap(([name, value]) =>
            value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
          ),
        )
  return parameters.size === 0 ? url : `${url}?${parameters}`
}

function joined(base: string, ...segments: readonly (string | undefined)[]): string {
  const presentSegments = segments.filter((segment) => segment !== undefined)
  return [base, ...presentSegments.map(encodeURIComponent)].join('/')
}
