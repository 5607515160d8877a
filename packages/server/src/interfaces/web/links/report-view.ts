import type { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import type { BrokenLink, Orphan, WantedPage } from '../../../content/links/schema.ts'
import type { Suggestion } from '../../../content/pages/titles/suggest.ts'
import type { ReportedStatus, VerificationReport } from '../../../content/pages/verification/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, hiddenText, html, joinList, msg, sentence, t, trusted } from '../html.ts'
import { pagination } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { time } from '../time.ts'
import { graphUrl, newPageUrl, reportsUrl } from '../urls.ts'
import { verificationRows } from '../verification/report-rows.ts'

interface Common {
  readonly space: SpaceAccess
  readonly editable: boolean
  /** Whether this is the first page of results. */
  readonly first: boolean
}

export type Report = Common &
  (
    | {
        readonly show: 'broken'
        readonly list: List<BrokenLink>
        /** Pages with names similar to a missing one, by its path. */
        readonly alike: ReadonlyMap<string, readonly Suggestion[]>
      }
    | { readonly show: 'orphans'; readonly list: List<Orphan> }
    | { readonly show: 'wanted'; readonly list: List<WantedPage> }
    | { readonly show: 'verification'; readonly status: ReportedStatus; readonly list: VerificationReport }
  )

export type ReportView = Report & {
  readonly done: 'retargeted' | 'removed' | 'linked' | undefined
  readonly error?: AppError
}

const TITLES = {
  broken: msg('Broken links'),
  orphans: msg('Orphans'),
  wanted: msg('Wanted pages'),
  verification: msg('Verification'),
} as const
const TEXTS = {
  broken: msg(
    'Links in this space to pages that don’t exist. Create the page, point the link elsewhere, or remove it. ' +
      'Each choice saves a new version of the linking page.',
  ),
  orphans: msg('Pages that no other page links to.'),
  wanted: msg('Pages that don’t exist yet, with the number of pages that link to them.'),
  verification: msg('Which pages people have verified, and which agents wrote without them.'),
} as const
const NOTHING = {
  broken: msg('No broken links in this space.'),
  orphans: msg('Every page of this space is linked from another.'),
  wanted: msg('No missing pages: every link to this space has a target.'),
} as const
const DONE = {
  retargeted: msg('The link now points to the page you chose.'),
  removed: msg('The link was removed. Its text is still there.'),
  linked: msg('The page is now linked.'),
} as const

/** A report of a space. */
export function reportScreen(view: ReportView): Screen {
  const { space, show, list, error, done, first } = view
  const { nextCursor } = list
  const here = { show, ...(show === 'verification' && { status: view.status }) }
  return spaceFrame(space, 'Reports', {
    crumbs: [],
    sheets: ['links.css'],
    heading: t(TITLES[show]),
    actions: html`<nav class="choices" aria-label="${t('Reports')}">${Object.entries(TITLES).map(
      ([name, title]) =>
        html`<a class="button small" href="${reportsUrl(space.slug, { show: name })}"${
          name === show && trusted(' aria-current="page"')
        }>${t(title)}</a>`,
    )}</nav>`,
    column: '',
    main: html`<p>${t(TEXTS[show])}</p>
${error && html`<div class="notice error" role="alert"><p>${sentence(translateDetail(error.message))}</p></div>`}
${done && html`<p class="notice success" role="status">${t(DONE[done])}</p>`}
${
  list.items.length > 0 || show === 'verification'
    ? items(view)
    : html`<div class="empty"><p>
${
  nextCursor === null ? t(NOTHING[show]) : t('Nothing in this part of the space. Continue to the next page of results.')
}</p></div>`
}
${pagination(
  t('Pages of the report'),
  !first && [reportsUrl(space.slug, here), t('Start over')],
  nextCursor !== null && [reportsUrl(space.slug, { ...here, cursor: nextCursor }), t('More')],
)}`,
  })
}

function items(view: ReportView): Html {
  switch (view.show) {
    case 'broken':
      return broken(view)
    case 'orphans':
      return orphanRows(view)
    case 'wanted':
      return wantedRows(view)
    case 'verification':
      return verificationRows({ ...view, space: view.space.slug })
  }
}

type Broken = Extract<ReportView, { show: 'broken' }>

/** Grouped by target, in the order of their first occurrence: the list is sorted by the linking pages. */
function broken(view: Broken): Html {
  const groups = Map.groupBy(view.list.items, ({ kind, target }) => `${kind} ${target.space}/${target.path}`)
  return html`${[...groups.values()].map((links, index) => group(view, links, index))}`
}

function group(view: Broken, links: readonly BrokenLink[], index: number): Html {
  const { space } = view
  const { kind = 'page', reason = 'missing', target = { space: '', path: '' } } = links[0] ?? {}
  const isPage = kind === 'page'
  const editable = view.editable && isPage
  const alike = isPage && target.space === space.slug ? (view.alike.get(target.path) ?? []) : []
  const list = `alike-${index}`
  return html`<section class="report-target" aria-labelledby="target-${index}">
<div class="title-row"><h2 id="target-${index}">${target.space} / ${target.path}</h2>
${editable && target.space === space.slug && createLink(target)}</div>
${reason !== 'missing' && html`<p class="quiet">${t('No such space, or no access.')}</p>`}
${
  !isPage &&
  reason === 'missing' &&
  html`<p class="quiet">${t('This file is missing. Upload it at this path, or edit the pages that show it.')}</p>`
}
${
  alike.length > 0 &&
  html`<p class="quiet">
${t('Like it: {pages}', {
  pages: joinList(alike.map(({ path, title }) => html`<a href="${pageUrl(space.slug, path)}">${title}</a>`)),
})}</p>`
}
<datalist id="${list}">${alike.map(({ path, title }) => html`<option value="${path}">${title}</option>`)}</datalist>
<ul class="rows">${links.map(
    (link) =>
      html`<li><a href="${pageUrl(space.slug, link.source.path)}">${link.source.title}</a> <span class="quiet">${t(
        'line {line}: “{text}”',
        { line: link.line, text: link.text },
      )} · ${link.source.path}</span>${editable && fixes(view, link, list, alike[0])}</li>`,
  )}</ul>
</section>\n`
}

function fixes({ space }: Broken, link: BrokenLink, list: string, best: Suggestion | undefined): Html {
  const { source, target } = link
  const hiddenInputs = html`${CSRF_FIELD}<input type="hidden" name="source" value="${source.path}"><input type="hidden"
    name="space" value="${target.space}"><input type="hidden" name="path" value="${target.path}">`
  return html`<div class="fixes"><form method="post" action="${reportsUrl(space.slug)}">
${hiddenInputs}<input type="hidden" name="act" value="retarget">
<input class="input" dir="auto" name="to" value="${best?.path ?? ''}" list="${list}" required maxlength="2048"
  placeholder="${t('Page to link to')}" autocomplete="off" aria-label="${t(
    'Page to link to instead of {path}, in {title}',
    { path: target.path, title: source.title },
  )}">
<button class="button small">${t('Point the link here')}</button></form>
<form method="post" action="${reportsUrl(space.slug)}">
${hiddenInputs}<input type="hidden" name="act" value="remove"><button class="button small">${t(
    'Remove the link<hidden> of {title} to {path}</hidden>',
    { title: source.title, path: target.path, hidden: hiddenText },
  )}</button></form></div>`
}

function orphanRows({ space, editable, list }: Extract<ReportView, { show: 'orphans' }>): Html {
  return html`<ul class="rows">${list.items.map(
    ({ path, title, updatedAt }) => html`<li><a href="${pageUrl(space.slug, path)}">${title}</a> <span
      class="quiet">${path} · ${time(new Date(updatedAt))} · <a href="${graphUrl(
        space.slug,
        path,
      )}">${t('its links')}</a></span>
${
  editable &&
  html`<div class="fixes"><form method="post" action="${reportsUrl(space.slug)}">
${CSRF_FIELD}<input type="hidden" name="act" value="link"><input type="hidden" name="path" value="${path}">
<input class="input" dir="auto" name="source" required maxlength="1024" placeholder="${t('Path of the linking page')}"
  autocomplete="off" aria-label="${t('Page that should link to {title}', {
    title,
  })}"><button class="button small">${t('Add the link')}</button></form></div>`
}</li>`,
  )}</ul>`
}

/** A link to the form that creates the page. */
function createLink({ space, path }: PageAddress): Html {
  return html`<a class="button small" href="${newPageUrl(space, { path })}">${t(
    'Create this page<hidden>: {path}</hidden>',
    { path, hidden: hiddenText },
  )}</a>`
}

function wantedRows({ list, editable }: Extract<ReportView, { show: 'wanted' }>): Html {
  return html`<ul class="rows">${list.items.map(
    ({ space, path, pageCount }) =>
      html`<li class="title-row">
<span>${path} <span class="quiet">${t('{count, plural, one {# page links} other {# pages link}} there', {
        count: pageCount,
      })}</span></span>${editable && createLink({ space, path })}</li>`,
  )}</ul>`
}
