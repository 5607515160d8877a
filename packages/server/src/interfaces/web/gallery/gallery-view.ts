import type { CatalogueState } from '../../../content/templates/catalogue/catalogue-state.ts'
import type { TemplateItem, TemplateSource } from '../../../content/templates/space-template.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice } from '../controls.ts'
import { type Html, html, msg, sentence, t } from '../html.ts'
import { badge, moment, pager } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { GALLERY, templateUrl, withQuery } from '../urls.ts'

export interface GalleryView extends Shown {
  readonly templates: List<TemplateItem>
  readonly source?: TemplateSource
  readonly catalogue: CatalogueState
  readonly isOrgAdmin: boolean
}

/** The displayed name of each source, a message. */
export const SOURCES: Readonly<Record<TemplateSource, string>> = {
  builtin: msg('Built in'),
  org: msg('Organisation'),
  remote: msg('Catalogue'),
}

/** All space templates, of the three sources. */
export function galleryScreen(view: GalleryView): Screen {
  const { templates, source, cursor } = view
  return {
    title: `${t('Templates')} · Recto`,
    crumbs: [{ text: t('Templates'), href: GALLERY }],
    heading: t('Space templates'),
    column: '',
    main: html`<p>${t(
      'A space template is a set of pages to start a space with. Preview one, then create a space from it.',
    )}</p>
${doneNotice(view.done)}
${sourceTabs(source)}
${catalogueNote(view)}
${
  templates.items.length === 0
    ? html`<div class="empty">${emptyText(view)}</div>`
    : html`<ul class="cards">${templates.items.map(card)}</ul>`
}
${pager(GALLERY, { source }, { cursor, nextCursor: templates.nextCursor })}`,
  }
}

function sourceTabs(current: TemplateSource | undefined): Html {
  const tab = (source: TemplateSource | undefined, text: string) =>
    html`<li><a href="${withQuery(GALLERY, { source })}"${
      source === current && html` aria-current="page"`
    }>${text}</a></li>`
  return html`<nav class="tabs" aria-label="${t('Sources of templates')}"><ul>
${tab(undefined, t('All'))}${(['builtin', 'org', 'remote'] as const).map((source) => tab(source, t(SOURCES[source])))}
</ul></nav>`
}

function card(item: TemplateItem): Html {
  const pages = t('{count, plural, one {One page} other {# pages}}', { count: item.pageCount })
  return html`<li class="card"><h2><a class="cover" href="${templateUrl(item)}">${item.title}</a></h2>
<p dir="auto">${item.description}</p>
<p class="quiet">${badge(t(SOURCES[item.source]))} ${badge(item.category)} ${pages}${
    item.source !== 'builtin' && html`, ${moment(item.updatedAt)}`
  }</p></li>
`
}

function catalogueNote({ source, catalogue, isOrgAdmin }: GalleryView): Html | undefined {
  if (source !== undefined && source !== 'remote') return undefined
  const { configured, fetchedAt, succeededAt, problems } = catalogue
  if (!configured || (problems.length === 0 && source === undefined)) return undefined
  if (fetchedAt === null) return html`<p class="notice" role="note">${t('The catalogue has not been fetched yet.')}</p>`
  const stale =
    problems.length === 0
      ? t('The catalogue was fetched {when}.', { when: moment(fetchedAt) })
      : succeededAt === null
        ? t('The catalogue could not be fetched yet; the last attempt was {when}.', { when: moment(fetchedAt) })
        : succeededAt === fetchedAt
          ? t('The catalogue was fetched {when}; some of its templates could not be loaded and were not updated.', {
              when: moment(fetchedAt),
            })
          : t('The catalogue could not be fetched {when}. Showing the last good copy, from {succeededAt}.', {
              when: moment(fetchedAt),
              succeededAt: moment(succeededAt, 'absolute'),
            })
  // The error may contain details of the internal network.
  const showProblems = isOrgAdmin && problems.length > 0
  return html`<div class="notice${problems.length > 0 ? ' warning' : ''}" role="note"><p>${stale}</p>
${
  showProblems &&
  html`<ul>${problems.map(
    ({ id, message }) => html`<li>${id !== '' && html`<strong>${id}</strong>: `}${message}</li>`,
  )}</ul>`
}</div>`
}

function emptyText({ source, catalogue, isOrgAdmin }: GalleryView): Html {
  if (source === 'org') {
    return html`<p>${t('The organisation has no templates yet.')}</p>
<p>${
      isOrgAdmin
        ? t('Open the settings of a space and choose “Save as a template”.')
        : t('An organisation admin can create one in the settings of a space.')
    }</p>`
  }
  if (source === 'remote' && !catalogue.configured) {
    return html`<p>${t('No template catalogue is configured.')}</p>
<p>${sentence(t('Set `SVC_SPACE_TEMPLATES_URL` to configure one.'))}</p>`
  }
  return html`<p>${t('There are no templates here.')}</p>`
}
