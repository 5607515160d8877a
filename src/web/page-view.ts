import type { Actor } from '../access/caller.ts'
import { pageMarkdownUrl, pageUrl } from '../http/page-address.ts'
import type { Heading } from '../markdown/page.ts'
import { type Entry, tableOfContents } from './contents.ts'
import { type Html, html, trusted } from './html.ts'
import { type Crumb, layout } from './layout.ts'
import { time } from './time.ts'

/** What the document of a page shows. `body` is sanitised HTML. */
export interface PageView {
  readonly space: { readonly slug: string; readonly name: string }
  readonly path: string
  readonly title: string
  readonly version: number
  readonly latestVersion: number
  readonly note: string | null
  readonly updatedAt: Date
  readonly updatedBy: Actor
  readonly headings: readonly Heading[]
  readonly body: string
}

/** A table of contents stands beside a page with so many headings. */
const CONTENTS_FROM = 3
const CONTENTS_DEPTH = 3

/** The page as a complete document. */
export function pageDocument(view: PageView): string {
  const url = pageUrl(view.space.slug, view.path)
  const contents = hasOwnTitle(view) ? view.headings.slice(1) : view.headings
  const withContents = contents.length >= CONTENTS_FROM
  return layout({
    title: `${view.title} · ${view.space.name}`,
    crumbs: crumbsOf(view),
    head: html`<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${pageMarkdownUrl(view.space.slug, view.path)}">
`,
    main: html`<div class="${withContents ? 'page with-contents' : 'page'}">
${withContents && tableOfContents(entriesOf(contents))}
<article class="prose" aria-labelledby="page-title">
${view.version < view.latestVersion && olderNotice(view, url)}
${title(view)}
${trusted(view.body)}
</article>
${footer(view)}
</div>`,
  })
}

/** A body that begins with its own title shows it there; assistive technology is told the name in any case. */
function title(view: PageView): Html {
  return hasOwnTitle(view)
    ? html`<p id="page-title" class="visually-hidden">${view.title}</p>`
    : html`<h1 id="page-title">${view.title}</h1>`
}

function hasOwnTitle({ title, headings: [first] }: PageView): boolean {
  return first?.level === 1 && first.text.trim() === title
}

/** What stands above a page may be a page or only a folder: its crumb leads to all that is there. */
function crumbsOf({ space, path }: PageView): Crumb[] {
  const segments = path.split('/')
  const folders = segments.slice(0, -1).map((text, index) => {
    const prefix = segments.slice(0, index + 1).join('/')
    return { text, href: `/browse/${space.slug}?prefix=${encodeURIComponent(prefix)}` }
  })
  return [
    { text: space.name, href: `/browse/${space.slug}` },
    ...folders,
    { text: segments.at(-1) ?? path, href: pageUrl(space.slug, path) },
  ]
}

function entriesOf(headings: readonly Heading[]): Entry[] {
  const top = Math.min(...headings.map((heading) => heading.level))
  return headings
    .filter((heading) => heading.level < top + CONTENTS_DEPTH)
    .map(({ id, text, level }) => ({ href: `#${id}`, text, level: level - top + 1 }))
}

function olderNotice(view: PageView, url: string): Html {
  return html`<p class="notice" role="note">This is version ${view.version} of ${view.latestVersion}. <a href="${url}">Read the latest</a>.</p>`
}

function footer(view: PageView): Html {
  return html`<footer class="about">
<p>Version ${view.version}, ${time(view.updatedAt)} by ${view.updatedBy.name}${view.updatedBy.kind === 'agent' && ' (agent)'}${view.note !== null && html`: ${view.note}`}</p>
<p><a href="${pageMarkdownUrl(view.space.slug, view.path)}">Markdown</a></p>
</footer>`
}
