import { TEMPLATE_FOLDER } from '../../../access/template-folder.ts'
import type { TemplatePreview } from '../../../content/templates/preview.ts'
import { confirmed, doneNotice, errorNotice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { badge } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFields } from '../spaces/new-space-view.ts'
import { GALLERY, templateUrl, withQuery } from '../urls.ts'
import { SOURCES } from './gallery-view.ts'

export interface TemplateView extends Shown {
  readonly preview: TemplatePreview
  readonly mayUse: boolean
  readonly mayRemove: boolean
}

/** One template: a preview of its pages, and the form that creates a space from it. */
export function templateScreen(view: TemplateView): Screen {
  const { template, page } = view.preview
  const url = templateUrl(template)
  return {
    title: `${template.title} · ${t('Templates')}`,
    crumbs: [
      { text: t('Templates'), href: GALLERY },
      { text: template.title, href: url },
    ],
    heading: template.title,
    column: '',
    main: html`${doneNotice(view.done)}
<p dir="auto">${template.description}</p>
<p class="quiet">${badge(t(SOURCES[template.source]))} ${badge(template.category)}</p>
<div class="split">
<div class="side">
${renderTree(view.preview)}
${renderVariables(view.preview)}
${view.mayUse && useForm(view)}
${view.mayRemove && removal(view)}
</div>
${
  page === undefined
    ? html`<div class="empty"><p>${t('The template has no pages. A space created from it starts empty.')}</p></div>`
    : html`<article class="prose preview" aria-label="${t('Preview of {path}', { path: page.path })}">
<p class="quiet">${t('Preview of {path}', { path: html`<code>${page.path}</code>` })}</p>
${trusted(page.html)}
</article>`
}
</div>`,
  }
}

function renderTree({ template, paths, page }: TemplatePreview): Html {
  const items = paths.map((path) => {
    const depth = Math.min(path.split('/').length, 6)
    const href = withQuery(templateUrl(template), { page: path })
    return html`<li class="depth-${depth}">
<a href="${href}"${path === page?.path && html` aria-current="page"`}>${path}</a></li>\n`
  })
  return html`<nav aria-label="${t('Pages of the template')}"><h2>
${t('Pages ({count, number})', { count: paths.length })}</h2>
<ul class="tree">
${items}</ul></nav>`
}

function renderVariables({ pageTemplates }: TemplatePreview): Html | undefined {
  if (pageTemplates.length === 0) return undefined
  const items = pageTemplates.map(
    ({ path, variables }) =>
      html`<li><strong>${path.slice(TEMPLATE_FOLDER.length)}</strong>${
        variables.length === 0 ? t(', no variables') : html`: ${variables.map((name) => html`<code>${name}</code> `)}`
      }</li>`,
  )
  return html`<section aria-labelledby="page-templates"><h2 id="page-templates">${t('Page templates')}</h2>
<p>${t('New pages in the space can be created from these templates.')}</p>
<ul>${items}</ul></section>`
}

function useForm({ preview: { template }, failed }: TemplateView): Html {
  return html`<section aria-labelledby="use"><h2 id="use">${t('Create a space from this template')}</h2>
${errorNotice(failed)}
<form class="form" method="post" action="${templateUrl(template)}">
${CSRF_FIELD}
${spaceFields({
  failed,
  name: template.space.name,
  description: template.space.description,
  language: template.space.language,
})}
<button type="submit" class="button primary">${t('Create space')}</button>
</form></section>`
}

function removal({ preview: { template } }: TemplateView): Html {
  return html`<section aria-labelledby="remove"><h2 id="remove">${t('Remove')}</h2>
${confirmed({
  action: `${templateUrl(template)}/remove`,
  text: t('Remove the template'),
  about: template.title,
  sure: t('Delete permanently'),
  warning: t('Spaces created from it are not changed. This cannot be undone.'),
})}</section>`
}
