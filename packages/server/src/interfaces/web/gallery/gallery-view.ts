import type { CatalogueState } from '../../../content/templates/catalogue/catalogue-state.ts'
import type { TemplateItem, TemplateSource } from '../../../content/templates/space-template.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, pager } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { GALLERY, templateUrl, withQuery } from '../urls.ts'

export interface GalleryView extends Shown {
  readonly templates: List<TemplateItem>
  readonly source?: TemplateSource
  readonly catalogue: CatalogueState
  readonly isOrgAdmin: boolean
}

/** The displayed name of each source. */
export const SOURCES: Readonly<Record<TemplateSource, string>> = {
  builtin: 'Built in',
  org: 'Organisation',
  remote: 'Catalogue',
}

/** All space templates, of the three sources. */
export function galleryScreen(view: GalleryView): Screen {
  const { templates, source, cursor } = view
  return {
    title: 'Templates · Recto',
    crumbs: [{ text: 'Templates', href: GALLERY }],
    main: html`<div class="screen">
<h1>Space templates</h1>
<p>A space template is a set of pages to start a space with. Preview one, then create a space from it.</p>
${doneNotice(view.done)}
${sourceTabs(source)}
${catalogueNote(view)}
${templates.items.length === 0 ? html`<div class="empty">${emptyText(view)}</div>` : html`<ul class="cards">${templates.items.map(card)}</ul>`}
${pager(GALLERY, { source }, { cursor, nextCursor: templates.nextCursor })}
</div>`,
  }
}

function sourceTabs(current: TemplateSource | undefined): Html {
  const tab = (source: TemplateSource | undefined, text: string) =>
    html`<li><a href="${withQuery(GALLERY, { source })}"${source === current && html` aria-current="page"`}>${text}</a></li>`
  return html`<nav class="tabs" aria-label="Sources of templates"><ul>
${tab(undefined, 'All')}${tab('builtin', SOURCES.builtin)}${tab('org', SOURCES.org)}${tab('remote', SOURCES.remote)}
</ul></nav>`
}

function card(item: TemplateItem): Html {
  const pages = item.pageCount === 1 ? 'One page' : `${item.pageCount} pages`
  return html`<li class="card"><h2><a class="cover" href="${templateUrl(item)}">${item.title}</a></h2>
<p dir="auto">${item.description}</p>
<p class="quiet">${badge(SOURCES[item.source])} ${badge(item.category)} ${pages}${item.source !== 'builtin' && html`, ${moment(item.updatedAt)}`}</p></li>
`
}

function catalogueNote({ source, catalogue, isOrgAdmin }: GalleryView): Html | undefined {
  if (source !== undefined && source !== 'remote') return undefined
  const { configured, fetchedAt, succeededAt, problems } = catalogue
  if (!configured || (problems.length === 0 && source === undefined)) return undefined
  if (fetchedAt === null) return html`<p class="notice" role="note">The catalogue has not been fetched yet.</p>`
  const stale =
    problems.length === 0
      ? html`The catalogue was fetched ${moment(fetchedAt)}.`
      : succeededAt === null
        ? html`The catalogue could not be fetched yet; the last attempt was ${moment(fetchedAt)}.`
        : succeededAt === fetchedAt
          ? html`The catalogue was fetched ${moment(fetchedAt)}; some of its templates could not be loaded and were not updated.`
          : html`The catalogue could not be fetched ${moment(fetchedAt)}. Showing the last good copy, from ${moment(succeededAt, 'absolute')}.`
  // The error may contain details of the internal network.
  const showProblems = isOrgAdmin && problems.length > 0
  return html`<div class="notice${problems.length > 0 ? ' warning' : ''}" role="note"><p>${stale}</p>${showProblems && html`<ul>${problems.map(({ id, message }) => html`<li>${id !== '' && html`<strong>${id}</strong>: `}${message}</li>`)}</ul>`}</div>`
}

function emptyText({ source, catalogue, isOrgAdmin }: GalleryView): Html {
  if (source === 'org') {
    return html`<p>The organisation has no templates yet.</p>
<p>${isOrgAdmin ? 'Open the settings of a space and choose “Save as a template”.' : 'An organisation admin can create one in the settings of a space.'}</p>`
  }
  if (source === 'remote' && !catalogue.configured) {
    return html`<p>No template catalogue is configured.</p>
<p>Set <code>SVC_SPACE_TEMPLATES_URL</code> to configure one.</p>`
  }
  return html`<p>There are no templates here.</p>`
}
