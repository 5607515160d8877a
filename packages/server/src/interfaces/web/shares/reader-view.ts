import type { SharedPage } from '../../../content/pages/shares/open-share.ts'
import { assetPath, islandTags } from '../assets/assets.ts'
import { errorNotice, passwordField } from '../controls.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { neighbourLink } from '../reading/neighbours-view.ts'
import type { FailedForm, Screen } from '../screen.ts'

export interface ReaderView {
  readonly page: SharedPage
  /** All pages of the link, the shared one first. */
  readonly pages: readonly SharedPage[]
  readonly toUrl: (path: string) => string
  /** Sanitised HTML; undefined: the page is too complex to be shown. */
  readonly body: string | undefined
  /** Whether the body begins with the title. */
  readonly hasTitle: boolean
  /** Above the page, in a preview. */
  readonly notice?: Html | undefined
}

const NO_INDEX = html`<meta name="robots" content="noindex, nofollow">\n<meta name="referrer" content="no-referrer">`

/** A page as readers of a share link see it: nothing else of the workspace is on it. */
export function readerScreen({ page, pages, toUrl, body, hasTitle, notice }: ReaderView): Screen {
  const at = pages.findIndex(({ path }) => path === page.path)
  const has = (what: string) => body?.includes(` class="${what}`) === true
  return {
    title: page.title,
    bare: true,
    head: html`${NO_INDEX}${
      has('math') && html`<link rel="stylesheet" href="${assetPath('maths.css')}">\n${islandTags(['maths'], true)}`
    }`,
    islands: has('diagram') ? ['diagrams'] : [],
    main: html`<div class="page reading">
${notice}${pages.length > 1 && tree(pages, page, toUrl)}
<article class="prose">
${!hasTitle && html`<h1 dir="auto">${page.title}</h1>\n`}${
  body === undefined
    ? html`<p class="notice" role="note">${t('This page is too complex to be shown.')}</p>`
    : trusted(body)
}
</article>
${
  pages.length > 1 &&
  html`<nav class="neighbours" aria-label="${t('Previous and next page')}">
${neighbourLink(pages[at - 1], 'prev', toUrl)}${neighbourLink(pages[at + 1], 'next', toUrl)}</nav>`
}
</div>`,
  }
}

function tree(pages: readonly SharedPage[], current: SharedPage, toUrl: ReaderView['toUrl']): Html {
  const [root] = pages
  const depth = (path: string) => path.split('/').length
  const items = pages.map(({ path, title }) => {
    const level = Math.min(3, depth(path) - depth(root?.path ?? path) + 1)
    return html`<li class="level-${level}">
<a href="${toUrl(path)}"${path === current.path && trusted(' aria-current="page"')}>${title}</a></li>\n`
  })
  return html`<nav class="contents" aria-label="${t('Pages')}"><details><summary>${t('Pages')}</summary><ol>
${items}</ol></details></nav>`
}

/** Asks for the password of a link. */
export function passwordScreen(url: string, failed?: FailedForm): Screen {
  return {
    title: t('Password'),
    bare: true,
    head: NO_INDEX,
    heading: t('This page needs a password'),
    column: 'door',
    main: html`${errorNotice(failed)}
<form class="form" method="post" action="${url}">
${passwordField('password', t('Password'), { autocomplete: 'off', failed })}
<button class="button primary" type="submit">${t('Open')}</button>
</form>`,
  }
}

/** The same for every secret that opens nothing. */
export function deadLinkScreen(): Screen {
  return {
    title: t('Not found'),
    bare: true,
    status: 404,
    head: NO_INDEX,
    heading: t('There is nothing here'),
    main: html`<p>${t('The link is wrong, or it does not work any more.')}</p>`,
  }
}
