import type { Actor } from '../access/caller.ts'
import { pageMarkdownUrl, pageUrl } from '../http/page-address.ts'
import type { Heading } from '../markdown/page.ts'
import { type Html, html, trusted } from './html.ts'
import { type Crumb, layout } from './layout.ts'

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
  const contents = view.headings
  const withContents = contents.length >= CONTENTS_FROM
  return layout({
    title: `${view.title} · ${view.space.name}`,
    crumbs: crumbsOf(view),
    head: html`<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${pageMarkdownUrl(view.space.slug, view.path)}">
`,
    main: html`<div class="${withContents ? 'page with-contents' : 'page'}">
${withContents && tableOfContents(contents)}
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
  const [first] = view.headings
  const own = first?.level === 1 && first.text.trim() === view.title
  return own
    ? html`<p id="page-title" class="visually-hidden">${view.title}</p>`
    : html`<h1 id="page-title">${view.title}</h1>`
}

function crumbsOf({ space, path }: PageView): Crumb[] {
  const segments = path.split('/')
  const within = segments.map((segment, index) => ({
    text: segment,
    href: pageUrl(space.slug, segments.slice(0, index + 1).join('/')),
  }))
  return [{ text: space.name }, ...within]
}

function tableOfContents(headings: readonly Heading[]): Html {
  const top = Math.min(...headings.map((heading) => heading.level))
  const shown = headings.filter((heading) => heading.level < top + CONTENTS_DEPTH)
  const items = shown.map(
    (heading) =>
      html`<li class="level-${heading.level - top + 1}"><a href="#${heading.id}">${heading.text}</a></li>\n`,
  )
  return html`<nav class="contents" aria-label="On this page">
<details open>
<summary>On this page</summary>
<ol>
${items}</ol>
</details>
</nav>`
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

function time(at: Date): Html {
  const iso = at.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
