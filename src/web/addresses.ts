import { pageUrl } from '../http/page-address.ts'

/** The addresses of all screens, each in one place. Those of pages themselves are `pageUrl` of http/page-address.ts. */

export const HOME = '/'
export const RECENT = '/#recent'
export const GALLERY = '/gallery'
export const ACCOUNT = '/account'
export const ADMIN = '/manage'
export const SIGN_IN = '/sign-in'
export const SIGN_OUT = '/sign-out'
export const FIND = '/find'
export const VIEWS = '/views'
/** Where one chooses in which space a page is made. */
export const NEW_PAGE = '/new'

export type AdminScreen = 'people' | 'keys' | 'webhooks' | 'audit' | 'links' | 'spaces'

/** The pages of a space, those below `prefix` where it is given. */
export function browseUrl(slug: string, prefix?: string): string {
  return withQuery(`/browse/${slug}`, { prefix })
}

/** Making a page, where `path` or `title` are known already, or a template (`space/name`) is chosen. */
export function newPageUrl(
  slug: string,
  known: { readonly path?: string | undefined; readonly parent?: string; readonly template?: string } = {},
): string {
  return withQuery(`/new/${slug}`, known)
}

/** Writing a page. */
export function editUrl(space: string, path: string): string {
  return screenOf('edit', space, path)
}

/** Where a text is sent to be shown as the page would show it. */
export function previewUrl(space: string, path: string): string {
  return screenOf('preview', space, path)
}

/** The pages around a page, to be put beside it. */
export function treeFragmentUrl(space: string, path: string): string {
  return screenOf('fragments/tree', space, path)
}

/** The metadata of a page and what links to it, to be put beside it. */
export function panelFragmentUrl(space: string, path: string): string {
  return screenOf('fragments/panel', space, path)
}

/** Moving a page, or giving it another name. */
export function moveUrl(space: string, path: string): string {
  return screenOf('move', space, path)
}

/** Moving a folder with all pages in it, or giving it another name. */
export function moveFolderUrl(space: string, path: string): string {
  return screenOf('move-folder', space, path)
}

/** Putting all pages of a folder in the trash. */
export function deleteFolderUrl(space: string, path: string): string {
  return screenOf('delete-folder', space, path)
}

/** Putting a page in the trash. */
export function deleteUrl(space: string, path: string): string {
  return screenOf('delete', space, path)
}

/** The revisions of a page, or the difference of two. */
export function historyUrl(
  space: string,
  path: string,
  compared: { readonly from?: number; readonly to?: number } = {},
): string {
  return withQuery(screenOf('history', space, path), compared)
}

/** The metadata of a page. */
export function metadataUrl(space: string, path: string): string {
  return screenOf('metadata', space, path)
}

/** What a page links to, and what links to it, as a graph that can be walked. */
export function graphUrl(space: string, path: string): string {
  return screenOf('graph', space, path)
}

/** A table over the metadata of a space, or of all spaces. */
export function viewsUrl(slug?: string): string {
  return slug === undefined ? VIEWS : `${VIEWS}/${slug}`
}

/** Broken links, orphans and wanted pages of a space. */
export function reportsUrl(slug: string): string {
  return `/reports/${slug}`
}

export function trashUrl(slug: string): string {
  return `/trash/${slug}`
}

export function settingsUrl(slug: string): string {
  return `/settings/${slug}`
}

export function galleryUrl(source: string, id: string): string {
  return `${GALLERY}/${encodeURIComponent(source)}/${encodeURIComponent(id)}`
}

export function adminUrl(screen: AdminScreen): string {
  return `${ADMIN}/${screen}`
}

/** The search page. */
export function findUrl(query: { readonly q?: string; readonly space?: string } = {}): string {
  return withQuery(FIND, query)
}

/** `/<screen>/:space/*`: the path is written in segments, for no screen has sub-resources. */
function screenOf(screen: string, space: string, path: string): string {
  return `/${screen}/${space}/${encodePath(path)}`
}

/** The path of a page as the rest of a screen's address: a router that decodes it once gives the path again. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function withQuery(address: string, members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? address : `${address}?${query}`
}

export { pageUrl }
