import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { Visibility } from '../../access/addressed-page.ts'
import { starPlace } from './favourites/star-view.ts'
import { type Html, type HtmlValue, html, msg, t, trusted } from './html.ts'
import { icon } from './icons.ts'
import type { Crumb } from './layout.ts'
import {
  browseUrl,
  changeRequestUrl,
  commentsUrl,
  deleteUrl,
  editUrl,
  filesUrl,
  graphUrl,
  historyUrl,
  iconUrl,
  metadataUrl,
  moveUrl,
  newPageUrl,
  proposeUrl,
  readersUrl,
  reportsUrl,
  settingsUrl,
  shareUrl,
  spaceUrl,
  trashUrl,
  treeFragmentUrl,
  verifyUrl,
  viewsUrl,
  withQuery,
} from './urls.ts'

export type PageTab = 'Read' | 'Edit' | 'Suggest' | 'History' | 'Comments' | 'Properties' | 'Links'
export type SpaceTab = 'Pages' | 'Files' | 'Views' | 'Reports' | 'Trash' | 'Settings'

/** A space as the frame of its screens shows it. */
export interface NamedSpace {
  readonly slug: string
  readonly name: string
  readonly visibility: Visibility
}

interface MenuPage {
  readonly space: string
  readonly path: string
  readonly editable: boolean
  /** Whether its forms write it, or propose writes where the space reviews them. */
  readonly proposes?: boolean
  /** Whether who may not edit it may suggest a change. */
  readonly suggests?: boolean
  /** Whether the reader may see who can read it. */
  readonly listsReaders?: boolean
}

/** The screens of a page; those who may not edit it suggest a change. */
export function pageTabs(page: MenuPage, current?: PageTab): Html {
  const { space, path, editable, suggests = true } = page
  return tabs(
    t('This page'),
    [
      { text: msg('Read'), href: pageUrl(space, path) },
      ...(editable ? [{ text: msg('Edit'), href: editUrl(space, path), key: 'e' }] : []),
      ...(!editable && suggests ? [{ text: msg('Suggest'), href: proposeUrl(space, path), key: 'e' }] : []),
      { text: msg('History'), href: historyUrl(space, path), key: 'h' },
      { text: msg('Comments'), href: commentsUrl(space, path) },
      { text: msg('Properties'), href: metadataUrl(space, path) },
      { text: msg('Links'), href: graphUrl(space, path) },
    ],
    current,
    html`${current === 'Read' && starPlace(space, path)}${pageMenu(page)}`,
  )
}

/** The screens of a page that is read through a change request. */
export function previewTabs(space: string, path: string, changeRequest: number, current: 'Read' | 'Edit'): Html {
  return tabs(
    t('This page'),
    [
      { text: msg('Read'), href: withQuery(pageUrl(space, path), { changeRequest }) },
      { text: msg('Edit'), href: proposeUrl(space, path, changeRequest) },
      { text: msg('Change request'), href: changeRequestUrl({ space, number: changeRequest }) },
    ],
    current,
  )
}

/** The screens of a space. */
export function spaceTabs(slug: string, current?: SpaceTab): Html {
  return tabs(
    t('This space'),
    [
      { text: msg('Pages'), href: browseUrl(slug) },
      { text: msg('Files'), href: filesUrl(slug) },
      { text: msg('Views'), href: viewsUrl(slug) },
      { text: msg('Reports'), href: reportsUrl(slug) },
      { text: msg('Trash'), href: trashUrl(slug) },
      { text: msg('Settings'), href: settingsUrl(slug) },
    ],
    current,
  )
}

/** A row of tabs, whose texts are messages; one of them may be current. */
export function tabs(
  label: string,
  items: readonly { readonly text: string; readonly href: string; readonly key?: string }[],
  current?: string,
  more?: HtmlValue,
): Html {
  const tabItems = items.map(
    ({ text, href, key }) =>
      html`<li><a href="${href}"${
        key !== undefined && html` aria-keyshortcuts="${key}"`
      }${text === current && trusted(' aria-current="page"')}>${t(text)}</a></li>`,
  )
  return html`<nav class="tabs" aria-label="${label}"><ul>${tabItems}</ul>${more}</nav>`
}

/** Less frequent actions on a page. A personal space has one reader. */
function pageMenu({ space, path, editable, proposes = editable, listsReaders = false }: MenuPage): Html | false {
  const readers = listsReaders && space !== 'personal'
  if (!proposes && !readers) return false
  return html`<details class="menu"><summary class="button plain small" aria-label="${t('More actions')}">
${icon('more')}</summary>
<ul class="items">
${editable && html`<li><a href="${editUrl(space, path)}" aria-keyshortcuts="e">${t('Edit')}</a></li>\n`}<li>
<a href="${historyUrl(space, path)}" aria-keyshortcuts="h">${t('History')}</a></li>
${editable && html`<li><a href="${moveUrl(space, path)}" data-move aria-keyshortcuts="m">${t('Move')}</a></li>\n`}${
  proposes && html`<li><a href="${moveUrl(space, path)}">${t('Change path')}</a></li>\n`
}${proposes && html`<li><a href="${verifyUrl(space, path)}">${t('Verify this page')}</a></li>\n`}${
  editable &&
  html`${space !== 'personal' && html`<li><a href="${proposeUrl(space, path)}">${t('Suggest a change')}</a></li>\n`}<li>
<a href="${iconUrl(space, path)}">${t('Icon')}</a></li>
<li><a href="${shareUrl(space, path)}" aria-keyshortcuts="s">${t('Share')}</a></li>
<li><a href="${newPageUrl(space, { parent: path })}">${t('New page below')}</a></li>\n`
}<li><a href="${pageMarkdownUrl(space, path)}">${t('Markdown')}</a></li>
${readers && html`<li><a href="${readersUrl(space, path)}">${t('Who can read this')}</a></li>\n`}${
  proposes &&
  html`<li class="divider"></li>
<li><a href="${deleteUrl(space, path)}">${t('Delete')}</a></li>\n`
}</ul></details>`
}

/** The crumb of a space, which is marked where everybody can read it. */
export function spaceCrumb({ name, visibility }: NamedSpace, href: string): Crumb {
  return { text: name, href, ...(visibility === 'public' && { isPublic: true }) }
}

/**
 * The crumbs of a page. A segment above it may be a page or only a folder: its crumb links to the list of pages there.
 */
export function pageCrumbs(space: NamedSpace, path: string, changeRequest?: number): Crumb[] {
  const { slug } = space
  const preview = changeRequest === undefined ? {} : { changeRequest: String(changeRequest) }
  const segments = path.split('/')
  const crumbs = segments.map((text, index) => {
    const page = segments.slice(0, index + 1).join('/')
    const folder = segments.slice(0, index).join('/')
    const siblings = {
      level: withQuery(treeFragmentUrl(slug), new URLSearchParams({ folder, page, ...preview })),
      all: browseUrl(slug, index === 0 ? undefined : `${folder}/`),
    }
    return { text, href: page === path ? pageUrl(slug, path) : browseUrl(slug, page), siblings }
  })
  return [spaceCrumb(space, spaceUrl(slug)), ...crumbs]
}
