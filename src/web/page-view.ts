import type { Actor } from '../access/caller.ts'
import { pageMarkdownUrl, pageUrl } from '../http/page-address.ts'
import type { Heading } from '../markdown/page.ts'
import { type Entry, tableOfContents } from './contents.ts'
import { type Html, html, trusted } from './html.ts'
import { layout } from './layout.ts'
import { pageCrumbs, pageTabs } from './tabs.ts'
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
  /** What the front matter says that the page is about. */
  readonly description?: string | undefined
  readonly headings: readonly Heading[]
  readonly body: string
  /** Whether the reader may write it. */
  readonly editable: boolean
}

/** A table of contents stands beside a page with so many headings. */
const CONTENTS_FROM = 3
const CONTENTS_DEPTH = 3

/** The page as a complete document. */
export function pageDocument(view: PageView): string {
  const url = pageUrl(view.space.slug, view.path)
  const own = ownTitle(view)
  const contents = own ? view.headings.slice(1) : view.headings
  const withContents = contents.length >= CONTENTS_FROM
  return layout({
    title: `${view.title} · ${view.space.name}`,
    crumbs: pageCrumbs(view.space, view.path),
    tabs: pageTabs({ space: view.space.slug, path: view.path, editable: view.editable }, 'Read'),
    space: view.space.slug,
    head: html`<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${pageMarkdownUrl(view.space.slug, view.path)}">
<link rel="alternate" type="application/json" href="${url}">
${view.description !== undefined && html`<meta name="description" content="${view.description}">\n`}`,
    main: html`<div class="${withContents ? 'page with-contents' : 'page'}">
${withContents && tableOfContents(entriesOf(contents))}
<article class="prose" aria-labelledby="${own?.id ?? 'page-title'}">
${view.version < view.latestVersion && olderNotice(view, url)}
${!own && html`<h1 id="page-title">${view.title}</h1>`}
${trusted(view.body)}
</article>
${footer(view)}
</div>`,
  })
}

/** The heading that shows the title already: the first of the body, when it is the title. */
function ownTitle({ title, headings: [first] }: PageView): Heading | undefined {
  return first?.level === 1 && first.text.trim() === title ? first : undefined
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
  const { space, path, version, note, updatedAt, updatedBy } = view
  const markdown = `${pageMarkdownUrl(space.slug, path)}${version < view.latestVersion ? `?version=${version}` : ''}`
  return html`<footer class="about">
<p>Version ${version}, ${time(updatedAt)} by ${updatedBy.name}${updatedBy.kind === 'agent' && ' (agent)'}${note !== null && html`: ${note}`}</p>
<p><a href="${markdown}">Markdown</a> · <a href="${pageUrl(space.slug, path)}/versions">History</a></p>
</footer>`
}
