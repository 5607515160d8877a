import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { findMinimum } from '@recto/lib/extremes.ts'
import { hidesExternalImages } from '@recto/markdown/external-images.ts'
import type { Heading } from '@recto/markdown/page.ts'
import type { Actor } from '../../access/caller.ts'
import type { Verification } from '../../access/verification.ts'
import { assetPath, islandTags } from './assets/assets.ts'
import { avatar } from './avatar.ts'
import { type Contents, contentsAbove, contentsBeside } from './contents.ts'
import { type Html, html, t, trusted } from './html.ts'
import { layout } from './layout.ts'
import { authorName } from './rows.ts'
import { type NamedSpace, pageCrumbs, pageTabs, previewTabs } from './tabs.ts'
import { time } from './time.ts'
import {
  changeRequestUrl,
  commentsFragmentUrl,
  graphUrl,
  historyUrl,
  metadataUrl,
  neighboursFragmentUrl,
  panelFragmentUrl,
  spaceUrl,
  tickUrl,
  withQuery,
} from './urls.ts'
import { tick } from './verification/tick-view.ts'

/** The input of the document of a page. `body` is sanitised HTML. */
export interface PageView {
  readonly space: NamedSpace
  readonly path: string
  readonly title: string
  readonly version: number
  readonly latestVersion: number
  readonly note: string | null
  readonly updatedAt: Date
  /** Absent for callers without an account, who are not told, and see no history. */
  readonly updatedBy: Actor | undefined
  /** The description in the front matter. */
  readonly description?: string | undefined
  /** The emoji in the front matter. */
  readonly icon?: string | undefined
  readonly headings: readonly Heading[]
  readonly body: string
  /** The number of tasks with a check box. */
  readonly tasks: number
  /** Whether `body` is the source, because the page is too complex to be rendered. */
  readonly isSource: boolean
  /** Whether the reader may write it. */
  readonly editable: boolean
  /** Whether the forms of its menu write it, or propose writes. */
  readonly proposes?: boolean
  readonly suggests?: boolean
  /** Whether the reader has no account, and sees neither history nor properties. */
  readonly isVisitor: boolean
  /** Whether the reader may see who can read it. */
  readonly listsReaders: boolean
  readonly verification?: Verification | null
  /** The lock of a page with a rule of its own. */
  readonly lock?: Html | undefined
  /** The change request through which it is read, and whether that changes this page. */
  readonly preview?: { readonly number: number; readonly isDraft: boolean } | undefined
}

/** Pages with this many headings get a table of contents. */
const CONTENTS_FROM = 3
const CONTENTS_DEPTH = 3
/** A longer table of contents is truncated: it is in the document twice. */
const MAX_CONTENTS = 1000
const NO_CONTENTS: Contents = { entries: [], left: 0 }

/** The page as a complete document. */
export function pageDocument(view: PageView): string {
  const url = pageUrl(view.space.slug, view.path)
  const own = ownTitle(view)
  const headings = own ? view.headings.slice(1) : view.headings
  const withContents = headings.length >= CONTENTS_FROM
  const contents = withContents ? buildContents(headings) : NO_CONTENTS
  // What the panel shows is of the space without the change request.
  const hasPanel = !view.isVisitor && !view.preview
  return layout({
    title: `${view.title} · ${view.space.name}`,
    crumbs: pageCrumbs(view.space, view.path, view.preview?.number),
    tabs: tabsFor(view),
    space: view.space.slug,
    path: view.path,
    changeRequest: view.preview?.number,
    isVisitor: view.isVisitor,
    head: renderHead(view, url),
    islands: ['reading', ...(has(view, 'diagram') ? ['diagrams'] : [])],
    main: html`<div class="page reading"${following(view)}>
${withContents && contentsAbove(contents)}
${previewBar(view)}
<article class="prose" aria-labelledby="${own?.id ?? 'page-title'}"${ticking(view)}>
${view.version < view.latestVersion && olderNotice(view, url)}
${view.isSource && sourceNotice()}
${hidesExternalImages(view.body) && imagesNotice(view, url)}
${view.icon !== undefined && html`<div class="page-icon" aria-hidden="true">${view.icon}</div>\n`}${
  own
    ? bodyWithByline(view)
    : html`<h1 id="page-title" dir="auto">${view.title}${signs(view)}</h1>\n${byline(view)}\n${trusted(view.body)}`
}
</article>
${neighbours(view)}${footer(view)}
${
  (withContents || hasPanel) &&
  html`<aside class="beside" aria-label="${t('About this page')}">
${withContents && contentsBeside(contents)}
${hasPanel && panel(view)}
</aside>\n`
}</div>`,
  })
}

function tabsFor(view: PageView): Html {
  const { path, preview } = view
  const space = view.space.slug
  return preview ? previewTabs(space, path, preview.number, 'Read') : pageTabs({ ...view, space }, 'Read')
}

function neighbours({ space, path, preview }: PageView): Html | undefined {
  if (preview) return undefined
  return html`<nav class="neighbours" aria-label="${t('Previous and next page')}"
    data-fragment="${neighboursFragmentUrl(space.slug, path)}"></nav>\n`
}

/** The properties and links, which load after the page. */
function panel({ space: { slug }, path }: PageView): Html {
  return html`<div class="panel" data-fragment="${panelFragmentUrl(slug, path)}">
<h2><a href="${metadataUrl(slug, path)}">${t('Properties')}</a></h2>
<h2><a href="${graphUrl(slug, path)}">${t('Linked from')}</a></h2>
</div>
<div class="panel" data-comments="${commentsFragmentUrl(slug, path)}"></div>`
}

function renderHead(view: PageView, url: string): Html {
  const { space, path, description } = view
  return html`${view.isVisitor && previewTags(view)}<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${pageMarkdownUrl(space.slug, path)}">
<link rel="alternate" type="application/json" href="${url}">
${description !== undefined && html`<meta name="description" content="${description}">\n`}${
  has(view, 'math') && html`<link rel="stylesheet" href="${assetPath('maths.css')}">\n${islandTags(['maths'], true)}`
}`
}

/** What previews of links show of a public page (The Open Graph protocol, ogp.me). */
function previewTags({ title, space, description }: PageView): Html {
  return html`<meta property="og:type" content="article">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${space.name}">
${description !== undefined && html`<meta property="og:description" content="${description}">\n`}`
}

/** Whether the body has formulas or diagrams, which are rendered in the browser. */
function has({ body }: PageView, what: 'math' | 'diagram'): boolean {
  return body.includes(` class="${what}`)
}

/** The first heading of the body if it is the title. */
function ownTitle({ title, headings: [first] }: PageView): Heading | undefined {
  return first?.level === 1 && first.text.trim() === title ? first : undefined
}

/** What the island needs to tick tasks; only for those who may, and in the latest version. */
function ticking({ space, path, version, latestVersion, editable, tasks, preview }: PageView): Html | false {
  const isOn = editable && !preview && tasks > 0 && version === latestVersion
  return isOn && html` data-tasks="${tasks}" data-version="${version}" data-tick="${tickUrl(space.slug, path)}"`
}

/** What the island needs to follow the page: only of the latest version. */
function following({ space, path, version, latestVersion, isVisitor, preview }: PageView): Html | false {
  const isOn = !isVisitor && !preview && version === latestVersion
  return isOn && html` data-space="${space.slug}" data-path="${path}" data-latest="${version}"`
}

/** The tick and the lock beside the title. */
function signs({ space, path, isVisitor, version, latestVersion, verification, lock }: PageView): Html {
  const isShown = verification && version === latestVersion
  return html`${isShown && tick(verification, { space: space.slug, path, isVisitor })}${lock}`
}

/** The signs and the byline follow the title, which is part of the body. */
function bodyWithByline(view: PageView): Html {
  const { body } = view
  const titleEnd = body.indexOf('</h1>')
  const end = body.indexOf('</div>', titleEnd) + '</div>'.length
  return html`${trusted(body.slice(0, titleEnd))}${signs(view)}${trusted(body.slice(titleEnd, end))}
${byline(view)}${trusted(body.slice(end))}`
}

/**
 * Who changed the page last. On one line, and the time at its end: it is shown in local form later, which must not move
 * other text.
 */
function byline({ space, path, updatedBy, updatedAt, preview }: PageView): Html {
  if (!updatedBy) return html`<p class="byline"><span>${t('Changed {time}', { time: time(updatedAt) })}</span></p>`
  if (preview?.isDraft)
    return html`<p class="byline">
<span class="who">${avatar(updatedBy)}${t('Draft of {name}', {
      name: authorName(updatedBy),
    })}</span> <span>· ${time(updatedAt)}</span></p>`
  return html`<p class="byline">
<a class="who" href="${historyUrl(space.slug, path)}">${avatar(updatedBy)}${t('Changed by {name}', {
    name: authorName(updatedBy),
  })}</a> <span>· ${time(updatedAt)}</span></p>`
}

function buildContents(headings: readonly Heading[]): Contents {
  const top = findMinimum(headings.map((heading) => heading.level))
  const visibleHeadings = headings.filter((heading) => heading.level < top + CONTENTS_DEPTH)
  return {
    entries: visibleHeadings
      .slice(0, MAX_CONTENTS)
      .map(({ id, text, level }) => ({ href: `#${id}`, text, level: level - top + 1 })),
    left: Math.max(0, visibleHeadings.length - MAX_CONTENTS),
  }
}

/** A page that the request creates has no version: the way out is the space. */
function previewBar({ space, path, version, preview }: PageView): Html | undefined {
  if (!preview) return undefined
  const { number } = preview
  const out = version === 0 ? spaceUrl(space.slug) : pageUrl(space.slug, path)
  return html`<p class="notice info" role="note">
${t('You see this space with <link>change request {number}</link>. <out>See it without</out>', {
  number,
  link: (text) => html`<a href="${changeRequestUrl({ space: space.slug, number })}">${text}</a>`,
  out: (text) => html`<a href="${out}">${text}</a>`,
})}</p>`
}

const sourceNotice = () =>
  html`<p class="notice" role="note">
${t('This page is too complex to be shown as HTML. This is its Markdown source.')}</p>`

function olderNotice(view: PageView, url: string): Html {
  return html`<p class="notice" role="note">
${t('This is version {version} of {latest}. <link>Read the latest</link>.', {
  version: view.version,
  latest: view.latestVersion,
  link: (text) => html`<a href="${url}">${text}</a>`,
})}</p>`
}

function imagesNotice({ version, latestVersion, preview }: PageView, url: string): Html {
  const shownVersion = version < latestVersion ? version : undefined
  const query = { version: shownVersion, changeRequest: preview?.number, images: 'show' }
  return html`<p class="notice" role="note">
${t('Images from other sites are not loaded: those sites would see your address. <link>Show images</link>', {
  link: (text) => html`<a href="${withQuery(url, query)}">${text}</a>`,
})}</p>`
}

/** The time is last: it is shown in local form later, which must not move other text. */
function footer(view: PageView): Html {
  const { space, path, version, note, updatedAt, updatedBy, preview } = view
  const query = { version: version < view.latestVersion ? version : undefined, changeRequest: preview?.number }
  const markdown = withQuery(pageMarkdownUrl(space.slug, path), query)
  const name = updatedBy && authorName(updatedBy)
  const what = !name
    ? t('Version {version}', { version })
    : preview?.isDraft
      ? t('Draft by {name}', { name })
      : t('Version {version} by {name}', { version, name })
  return html`<footer class="about">
<p>${what}${note !== null && html`: ${note}`} · ${time(updatedAt)}</p>
<p><a href="${markdown}">${t('Markdown')}</a>${
    !view.isVisitor && !preview && html` · <a href="${historyUrl(space.slug, path)}">${t('History')}</a>`
  }</p>
</footer>`
}
