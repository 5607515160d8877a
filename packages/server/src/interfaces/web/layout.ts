import { pageUrl } from '@recto/contract/page-url.ts'
import { assetPath, islandMessages, islandTags } from './assets/assets.ts'
import { currentLanguage, type Html, type HtmlValue, html, isWrittenFromRight, t, trusted } from './html.ts'
import { icon } from './icons.ts'
import {
  ACCOUNT,
  ADMIN,
  API_REFERENCE,
  browseUrl,
  FAVOURITES,
  FIND,
  GALLERY,
  HOME,
  INBOX,
  NEW_PAGE,
  newPageUrl,
  SIDEBAR_FRAGMENT,
  SIGN_IN,
  signInUrl,
  TO_REVIEW,
  treeFragmentUrl,
  VIEWS,
} from './urls.ts'

export interface Crumb {
  readonly text: string
  readonly href?: string
  /** Whether it is a public space, which is marked for people with an account. */
  readonly isPublic?: boolean
  /** Of a page or folder: the fragment with its siblings, and the screen with all of them. */
  readonly siblings?: { readonly level: string; readonly all: string }
}

export interface Layout {
  /** The complete title of the document; by default the heading with what it belongs to. */
  readonly title?: string
  /** Above `main`, in a column with it; absent: `main` is the whole screen. */
  readonly heading?: HtmlValue
  /** Beside the heading. */
  readonly actions?: HtmlValue
  /** The class of the column. */
  readonly column?: '' | 'narrow' | 'wide' | 'change-request' | 'door'
  readonly crumbs?: readonly Crumb[]
  /** From `pageTabs` or `spaceTabs`. */
  readonly tabs?: Html
  /**
   * The slug of the space that the screen belongs to: its page tree is shown next to the screen, and new pages are
   * created there.
   */
  readonly space?: string
  /** The path of the page that the screen belongs to. */
  readonly path?: string
  /** The change request through which the space is read: the tree keeps to it. */
  readonly changeRequest?: number | undefined
  /** For people who are not signed in: without search and menu, which need an account. */
  readonly signedOut?: boolean
  /** For callers without an account, who read public spaces: with a link to the sign-in, and without tabs. */
  readonly isVisitor?: boolean
  /** For readers of a share link: without anything of the workspace. */
  readonly bare?: boolean
  readonly head?: HtmlValue
  readonly main: HtmlValue
  /** Islands in addition to `shell`: file names in `islands/` without the extension. */
  readonly islands?: readonly string[]
  /** Style sheets in addition to `recto.css`: file names in `styles/`. */
  readonly sheets?: readonly string[]
}

const DOCTYPE = trusted('<!doctype html>\n')

/** A complete document. It loads only files of this origin, and works without script. */
export function layout(screen: Layout): string {
  const { heading, title = `${heading} · Recto`, crumbs = [], head, sheets = [] } = screen
  const tabs = screen.isVisitor ? undefined : screen.tabs
  const inSpace = screen.space !== undefined
  const hasSidebar = inSpace || !(screen.bare || screen.signedOut || screen.isVisitor)
  const where =
    (crumbs.length > 0 || tabs) &&
    html`<div class="where">
${crumbs.length > 0 && breadcrumbs(screen.isVisitor ? crumbs.map(withoutMark) : crumbs)}${tabs}</div>\n`
  const islands = [...(screen.bare ? [] : ['shell']), ...(hasSidebar ? ['tree'] : []), ...(screen.islands ?? [])]
  return html`${DOCTYPE}<html lang="${currentLanguage()}"${isWrittenFromRight() && trusted(' dir="rtl"')}>
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
${PAINTS_AFTER_BARS}
<script src="${assetPath('appearance.js')}"></script>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
${['recto.css', ...sheets].map(
  (sheet) => html`<link rel="stylesheet" href="${assetPath(sheet)}">\n`,
)}${islandMessages(islands)}${islandTags(islands)}${head}</head>
<body>
<a class="skip" href="#main">${t('Skip to content')}</a>
${bars(screen, hasSidebar && sidebarButton(inSpace))}
${where}${END_OF_BARS}<div class="${hasSidebar ? 'frame with-sidebar' : 'frame'}">
${hasSidebar && sidebar(screen)}<main id="main" tabindex="-1">
${heading === undefined ? screen.main : column(screen)}
</main>
</div>
</body>
</html>
`.text
}

function column({ heading, actions, column: look = 'narrow', main }: Layout): Html {
  const isDoor = look === 'door'
  const title =
    actions === undefined ? html`<h1>${heading}</h1>` : html`<div class="title-row"><h1>${heading}</h1>${actions}</div>`
  return html`<div class="screen${look && ` ${isDoor ? 'narrow' : look}`}">${isDoor && html`<div class="door">`}
${title}
${main}
${isDoor && html`</div>`}</div>`
}

function bars(screen: Layout, button: HtmlValue): HtmlValue {
  if (screen.bare) return undefined
  if (screen.isVisitor) return visitorBar(screen, button)
  return screen.signedOut ? html`<header class="top">${brand()}</header>` : topBar(screen.space, button)
}

/**
 * The first paint waits until the top bar and the tabs are complete (`rel="expect"`, HTML): a bar that is painted when
 * only a part of it has arrived moves when the rest comes. The element follows them, since Chromium does not wait for
 * the end tag of the element that is expected.
 */
const PAINTS_AFTER_BARS = html`<link rel="expect" href="#end-of-bars" blocking="render">`
const END_OF_BARS = html`<span id="end-of-bars" hidden></span>`

/** Opens the sidebar as a drawer on narrow screens; on wide ones the island `tree` hides it. */
function sidebarButton(inSpace: boolean): Html {
  return html`<button class="button plain sidebar-button" type="button" popovertarget="sidebar"
    aria-label="${inSpace ? t('Pages of this space') : t('Navigation')}">${icon('sidebar')}</button>`
}

/** What the island fills: the workspace's navigation, and the space's page tree. A visitor has only the tree. */
function sidebar({ space, path, changeRequest, isVisitor }: Layout): Html {
  return html`<div class="sidebar" id="sidebar" popover>
${!isVisitor && html`<nav class="navigation" aria-label="${t('Navigation')}" data-url="${SIDEBAR_FRAGMENT}"></nav>\n`}${
  space !== undefined &&
  html`<nav class="page-tree" id="page-tree" aria-label="${t('Pages of this space')}"
    data-tree="${treeFragmentUrl(space)}"${path !== undefined && html` data-page="${path}"`}${
      changeRequest !== undefined && html` data-change-request="${changeRequest}"`
    }>
<noscript><a class="tree-title" href="${browseUrl(space)}">${t('All pages')}</a></noscript>
</nav>
`
}</div>
`
}

/**
 * The drawing of icon.svg, as markup: for an image in SVG Chromium makes a document of its own, which takes some 20 ms.
 */
const LOGO = html`<svg class="logo" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32"
  height="32" rx="7" fill="#2f5d50"/><path d="M9 7h9l5 5v13H9z" fill="#fff"/><path d="M18 7v5h5" fill="#b9d3ca"/><path
    d="M12 15h8M12 18.5h8M12 22h5" stroke="#2f5d50" stroke-width="1.6" stroke-linecap="round"/></svg>`

function brand(): Html {
  return html`<a class="brand" href="${HOME}">${LOGO}<span>Recto</span></a>`
}

/** The sign-in leads back to the screen. */
function visitorBar({ space, path }: Layout, button: HtmlValue): Html {
  const next = space === undefined ? HOME : path === undefined ? browseUrl(space) : pageUrl(space, path)
  return html`<header class="top">
${button}${brand()}
<form class="find" role="search" action="${FIND}">
${icon('search')}<input type="search" dir="auto" name="q" aria-label="${t('Search pages')}" placeholder="${t('Search')}"
  autocomplete="off" maxlength="500">
</form>
<nav class="actions" aria-label="Recto">
<a class="button" href="${signInUrl(next)}">${icon('person')}${t('Sign in')}</a></nav>
</header>`
}

/** The same for every caller with an account, so that the document of a page can be cached. */
function topBar(space: string | undefined, button: HtmlValue): Html {
  return html`<header class="top">
${button}${brand()}
<form class="find" role="search" action="${FIND}">
${icon('search')}<input type="search" dir="auto" name="q" aria-label="${t('Search pages')}" placeholder="${t('Search')}"
  autocomplete="off" maxlength="500" data-suggest><button class="switch" type="button" hidden aria-haspopup="dialog"
    aria-label="${t('Ctrl K, command palette')}">Ctrl K</button>
</form>
<nav class="actions" aria-label="Recto">
<a class="button" href="${space === undefined ? NEW_PAGE : newPageUrl(space)}"
  aria-keyshortcuts="n">${icon('plus')}<span class="label">${t('New page')}</span></a>
<a class="button plain inbox" href="${INBOX}" aria-label="${t('Inbox')}" title="${t('Inbox')}">${icon('bell')}<span
  class="count" hidden></span></a>
<details class="menu">
<summary class="button plain">${icon('person')}<span class="label">${t('Menu')}</span></summary>
<ul class="items">
<li><a href="${HOME}">${t('Spaces and recent pages')}</a></li>
<li><a href="${browseUrl('personal')}">${t('Your own pages')}</a></li>
<li><a href="${FAVOURITES}">${t('Favourites')}</a></li>
<li><a href="${TO_REVIEW}">${t('To review')}</a></li>
<li><a href="${VIEWS}">${t('Views')}</a></li>
<li><a href="${GALLERY}">${t('Templates')}</a></li>
<li class="divider"></li>
<li><a href="${ACCOUNT}">${t('Your account')}</a></li>
<li><a href="${ADMIN}">${t('Administration')}</a></li>
<li><a href="${API_REFERENCE}">${t('API reference')}</a></li>
<li><button type="button" data-keys aria-keyshortcuts="?">${t('Keys')}</button></li>
<li><a href="${SIGN_IN}">${t('Sign out')}</a></li>
</ul>
</details>
</nav>
</header>`
}

const publicMark = () => html` <span class="badge plain" title="${t('Read without an account')}">${t('public')}</span>`

function withoutMark({ isPublic: _, ...crumb }: Crumb): Crumb {
  return crumb
}

/** In place of the sign between crumbs: the script opens a menu. */
function siblingsButton(text: string, { level, all }: Required<Crumb>['siblings']): Html {
  return html`<button class="siblings" type="button" data-level="${level}" data-all="${all}"
    aria-label="${t('Beside {page}', { page: text })}"></button>`
}

function breadcrumbs(crumbs: readonly Crumb[]): Html {
  const items = crumbs.map(({ text, href, isPublic, siblings }, index) => {
    const current = index === crumbs.length - 1
    const crumb =
      href === undefined
        ? html`<span>${text}</span>`
        : html`<a href="${href}"${current && trusted(' aria-current="page"')}>${text}</a>`
    return html`<li>${siblings && siblingsButton(text, siblings)}${crumb}${isPublic && publicMark()}</li>`
  })
  return html`<nav aria-label="${t('Breadcrumbs')}"><ol class="crumbs">${items}</ol></nav>`
}
